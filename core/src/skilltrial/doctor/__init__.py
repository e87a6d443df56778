"""The doctor: what is installed, and whether an installed agent program still does what its adapter relies on."""
