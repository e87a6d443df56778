"""The host `echo`: an example of a part that somebody else ships."""
