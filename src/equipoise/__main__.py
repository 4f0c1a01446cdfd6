"""``python -m equipoise``: the command line."""

from equipoise.cli import main

main()
