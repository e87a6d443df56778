"""An MCP server under control: frozen tools, replies from a file, every call on record."""
