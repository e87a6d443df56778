"""Servers that are measured side by side: each is a program that listens on the port it is given, and records calls."""
