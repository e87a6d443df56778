"""The routing suite, live, as data."""
