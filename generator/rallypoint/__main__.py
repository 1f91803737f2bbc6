"""`python -m rallypoint`: the command line, for where the console script is not on the path."""

from rallypoint.cli import main

if __name__ == "__main__":
    main()
