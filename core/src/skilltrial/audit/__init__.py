"""Mutation audit: change the evidence of trials that passed, judge again, and list what still passes."""
