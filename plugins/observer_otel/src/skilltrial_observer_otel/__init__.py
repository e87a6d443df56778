"""skilltrial observer: a run as OpenTelemetry spans."""
