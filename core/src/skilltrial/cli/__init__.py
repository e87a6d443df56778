"""The command line: a module per command, which reads arguments, calls one function, prints and exits."""
