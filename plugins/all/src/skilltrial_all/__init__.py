"""skilltrial with all of its first-party parts: its dependencies are what it is for."""
