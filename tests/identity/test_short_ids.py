"""Short forms of ids: any that only one id has is that id."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.errors import InputError
from equipoise.identity.short_ids import meant_by

ids = st.lists(st.text("ab-1", min_size=1, max_size=6), min_size=1, max_size=5, unique=True)


@given(ids, st.text("ab-1", min_size=1, max_size=3))
def test_a_part_that_one_id_has_means_it_and_nothing_else_is_guessed(known: list[str], typed: str) -> None:
    """The whole before beginnings, and these before other parts."""
    starting, having = ([each for each in known if test(each)] for test in (
        lambda each: each.startswith(typed), lambda each: typed in each
    ))  # fmt: skip
    wanted = [typed] if typed in known else starting or having
    if len(wanted) > 1:
        with pytest.raises(InputError, match="several ids"):
            meant_by(typed, known)
    else:
        assert meant_by(typed, known) == (wanted[0] if wanted else typed)


def test_a_question_names_three_of_those_meant() -> None:
    """And what was typed."""
    with pytest.raises(InputError, match=r"^'a' is part of several ids: ab, ac, ad; give more of it$"):
        meant_by("a", ["ab", "ac", "ad", "ae"])
    assert meant_by("", ["a"]) == ""
