"""Time budgets."""

from __future__ import annotations

import pytest

from equipoise import InputError, deadline


def test_a_deadline_has_passed_or_not() -> None:
    """No time is over at once; an hour is not."""
    assert deadline(0.0)()
    assert not deadline(3600.0)()


@pytest.mark.parametrize("seconds", [-1.0, float("nan")])
def test_a_time_without_meaning_is_refused(seconds: float) -> None:
    """A budget is a number of seconds."""
    with pytest.raises(InputError, match=r"^seconds must be at least 0, got "):
        deadline(seconds)
