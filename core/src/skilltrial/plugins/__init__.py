"""Who takes part: hook specs, discovery by name, binding."""
