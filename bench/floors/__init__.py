"""The floors: the least that somebody would write by hand for the same work, each a script of its own."""
