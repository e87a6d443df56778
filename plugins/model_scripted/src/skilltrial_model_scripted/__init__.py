"""Serve a scripted model on the loopback interface, so that an agent runs without a provider."""
