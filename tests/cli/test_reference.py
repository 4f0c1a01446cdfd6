"""The reference of the command line: every option with its default and its range, as readers have it."""

from __future__ import annotations

import pytest
from tests.generated import kept, made


@pytest.mark.slow
def test_commands_say_what_the_reference_says() -> None:
    """Whoever changes a default, a range or a word writes the page again, and sees what changed."""
    assert made("command_line()") == kept("docs/reference/command-line.md")
