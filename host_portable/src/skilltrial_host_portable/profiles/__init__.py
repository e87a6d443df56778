"""Programs that are described by a file: how they are started, and what the lines that they print mean."""
