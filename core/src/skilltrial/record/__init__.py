"""What happens: a plan in, a sealed archive out."""
