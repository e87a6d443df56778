"""Programs: started within limits, watched, and ended with all that they began."""
