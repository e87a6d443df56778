"""Judge which tools an agent called, with what, and what came of it."""
