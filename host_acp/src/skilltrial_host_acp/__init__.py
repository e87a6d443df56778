"""skilltrial host: any program that speaks the Agent Client Protocol."""
