"""The fixture `commands`: doubles of command-line programs."""
