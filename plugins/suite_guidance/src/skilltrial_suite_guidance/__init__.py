"""Hold the suite `guidance`: when an agent should turn to a memory server, how often, and how truthfully it tells."""
