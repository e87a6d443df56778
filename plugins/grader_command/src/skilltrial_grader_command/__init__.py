"""Ask what commands of a suite said about the place after a session."""
