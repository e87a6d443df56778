"""A first suite: what a skill's folder, another tool, or a session already says, written down for its author."""
