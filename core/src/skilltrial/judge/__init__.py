"""What it amounts to: a sealed archive in, a report out. The same bytes in give the same bytes out."""
