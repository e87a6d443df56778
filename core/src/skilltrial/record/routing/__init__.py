"""Which host, model and effort may be used for which work: policies, read and never written."""
