"""Run Claude Code as the agent of a trial, and read what it shows."""
