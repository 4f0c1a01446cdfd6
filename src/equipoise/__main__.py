"""``equipoise`` and ``python -m equipoise``: the command line."""

import sys


def main() -> None:
    """Run the command line and exit; without what it is made of, say what to install."""
    try:
        from equipoise.cli import main as run
    except ModuleNotFoundError as error:
        from equipoise.core.packages import missing

        absent = missing("equipoise", error)
        if absent is None:
            raise
        sys.exit(f"error: {absent}")
    run()


if __name__ == "__main__":
    main()
