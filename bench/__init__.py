"""`make bench`: what skilltrial costs, in pairs beside hand-written floors. `docs/performance.md` reads it."""
