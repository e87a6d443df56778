"""Judge what an agent answered."""
