"""`python -m wayfolk.cli` is the program `wayfolk`."""

from wayfolk.cli.app import main

main()
