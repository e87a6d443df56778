"""What things are: asked (suite), planned (plan), happened (evidence, events), amounted to (report)."""
