"""Measure whether an agent skill changes what a coding agent does, in a way that a stranger can check."""

__version__ = "0.1.0"
