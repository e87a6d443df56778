"""Hold the suite `organization`: class additions in English and Russian, and edits that a skill should stay out of."""
