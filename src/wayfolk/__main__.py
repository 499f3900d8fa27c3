"""`python -m wayfolk` is the program `wayfolk`."""

from wayfolk.cli.app import main

main()
