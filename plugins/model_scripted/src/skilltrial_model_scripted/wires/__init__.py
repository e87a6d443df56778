"""The wire protocols that agent programs speak with their models: one module each, all of one interface."""
