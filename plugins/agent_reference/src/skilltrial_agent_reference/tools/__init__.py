"""What the agent can do: read, write, edit, list and search files, run a command, load a skill."""
