"""The command line; `main` is the program `wayfolk`."""

from wayfolk.cli.app import main

__all__ = ["main"]
