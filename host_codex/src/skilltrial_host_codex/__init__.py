"""Drive the Codex command line, and read what it shows."""
