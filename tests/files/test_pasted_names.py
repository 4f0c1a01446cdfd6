"""Names as people write them: what each paste of the corpus gives or says, and laws of every paste."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.errors import READS, AmbiguousError, InputError
from equipoise.files.pasted_names import parse_paste
from equipoise.files.read_roster import parse_roster

#: A line each: the paste, what it ``gives`` (name, weight, party) or ``says``, and its public ``source``.
CORPUS = [
    json.loads(line)
    for line in (Path(__file__).parent / "data" / "pastes.jsonl").read_text(encoding="utf-8").splitlines()
]


def outcome(paste: str, read: str | None = None) -> dict[str, Any]:
    """Return what a paste gives or says."""
    try:
        players = parse_roster(paste.encode(), "paste", read=read)
    except InputError as error:
        return {"says": str(error)}
    return {"gives": [[p.label, None if p.rating is None else p.rating.mu, p.party] for p in players]}


@pytest.mark.slow
@pytest.mark.parametrize("case", CORPUS, ids=range(len(CORPUS)))
def test_each_paste_gives_or_says_what_it_should(case: dict[str, Any]) -> None:
    """Every paste of the corpus is read as people mean it, or refused with the line and a remedy."""
    assert outcome(case["paste"]) == {key: case[key] for key in ("gives", "says") if key in case}


def test_the_corpus_is_wide() -> None:
    """There are 150 pastes and more, 30 of them from public sources."""
    assert len({case["paste"] for case in CORPUS}) >= 150
    assert sum("source" in case for case in CORPUS) >= 30


@pytest.mark.parametrize(
    ("read", "players"),
    [
        ("weight-first", [("Player 1", 42.0), ("Player 2", 37.0)]),
        ("name-first", [("42 Player", 1.0), ("37 Player", 2.0)]),
        ("names", [("42 Player 1", None), ("37 Player 2", None)]),
    ],
)
def test_a_choice_says_how_to_read_numbers(read: str, players: list[tuple[str, float | None]]) -> None:
    """What can be read in several ways is read as asked for."""
    entries = parse_paste("42 Player 1\n37 Player 2", "here", read)
    assert [(entry.name, entry.weight) for entry in entries] == players


def test_an_ambiguous_line_tells_its_readings() -> None:
    """The error carries the place, the line and each reading, for whoever asks back."""
    with pytest.raises(AmbiguousError) as caught:
        parse_paste("Amber\nAgent 47\nBirch\nCedar", "here")
    error = caught.value
    assert (error.where, error.text) == ("here, line 2", "Agent 47")
    assert error.ways == {"name-first": ("Agent", 47.0), "names": ("Agent 47", None)}
    assert "--read name-first|names" in str(error)


def test_an_unknown_choice_is_refused() -> None:
    """The message says what is allowed."""
    with pytest.raises(
        InputError, match=r"^read must be one of weight-first, name-first, names, maybe-in.*, got 'x'$"
    ):
        parse_paste("Amber", "here", "x")


@pytest.mark.slow
@given(
    st.lists(st.sampled_from(["Amber", "Birch", "Cedar", "Dahlia", "Elm"]), unique=True, min_size=2),
    st.data(),
)
def test_the_way_of_writing_changes_nothing(names: list[str], data: st.DataObject) -> None:
    """The same names and weights in any usual form are the same players."""
    weights = data.draw(st.lists(st.integers(5, 3000), min_size=len(names), max_size=len(names)))
    forms = [
        "{0} {1}",
        "{0}: {1}",
        "{0},{1}",
        "{1} {0}",
        "{0} - {1}",
        "- {0} ({1})",
        "{0}\t{1}",
        "{0} = {1} # ok",
    ]
    form = data.draw(st.sampled_from(forms))
    text = "\n".join(form.format(name, weight) for name, weight in zip(names, weights, strict=True))
    if form == "{1} {0}" and weights == list(range(1, len(names) + 1)):
        return  # the numbers of a list, perhaps
    entries = parse_paste(text, "here")
    assert [(entry.name, entry.weight) for entry in entries] == list(
        zip(names, map(float, weights), strict=True)
    )


@pytest.mark.parametrize("text", [",", ", ,", ";", "\t;", "，", "Ann\n,\nBob"])
def test_a_line_of_separators_alone_is_refused(text: str) -> None:
    """It names nobody, and is no player without a name."""
    with pytest.raises(InputError, match=r"no name|empty"):
        parse_paste(text, "here")


@pytest.mark.slow
@given(st.text(max_size=200), st.sampled_from([None, *READS]))
def test_any_text_gives_players_or_a_message(text: str, read: str | None) -> None:
    """Whatever is pasted, nothing but an InputError comes out, and no player without a name."""
    try:
        entries = parse_paste(text, "here", read)
    except InputError:
        return
    assert all(entry.name.strip() for entry in entries)


def test_blank_lines_and_long_ones_take_no_longer_than_they_should() -> None:
    """The time for a line grows with the square of its length, so there is a most; blank ones are free."""
    assert len(parse_paste("\n" * 200_000 + "Amber 9", "here")) == 1
    with pytest.raises(InputError, match=r"^here, line 2: it has 5002 characters; a line may have 5000"):
        parse_paste("Amber 9\n" + "a " * 2501, "here")
