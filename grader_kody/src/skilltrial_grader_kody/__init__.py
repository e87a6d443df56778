"""Judges which route an agent took through Kody's search and execute: as the original scorer, and strictly."""
