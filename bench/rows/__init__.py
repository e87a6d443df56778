"""One module per thing that is measured. Each has `figures(bench) -> Iterator[Figure]` and is found by its file."""
