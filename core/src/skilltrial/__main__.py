"""`python -m skilltrial`."""

from skilltrial.cli.main import main

if __name__ == "__main__":
    main()
