"""Write reports as JUnit XML."""
