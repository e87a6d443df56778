"""Be a small, honest coding agent: files, shell and skills over any chat-completions endpoint."""
