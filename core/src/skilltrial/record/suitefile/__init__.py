"""A suite as written: read with its places, checked whole, and brought into its long form."""
