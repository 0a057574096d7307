"""Lets `python -m service.cli` do what the console script does."""

from service.cli.main import main

main()
