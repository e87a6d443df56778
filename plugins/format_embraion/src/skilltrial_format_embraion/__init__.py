"""Read EmbrAIon's skill suites, and write reports in EmbrAIon's shape."""
