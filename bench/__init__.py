"""`make bench`: what skilltrial costs, beside hand-written floors, measured in pairs. `docs/performance.md` reads it."""
