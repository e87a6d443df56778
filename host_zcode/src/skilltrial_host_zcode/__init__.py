"""skilltrial host: ZCode by its app-server. Written from documentation; not checked against the real program."""
