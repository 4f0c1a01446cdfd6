"""The outbox: what is due, what was taken, what is tried again, and what is forgotten."""

from __future__ import annotations

from pathlib import Path

import pytest

from equipoise import Contest, InputError, Match, Ruleset
from equipoise.archive.archive import open_archive
from equipoise.archive.ingest.custom_mutators import read_mutators, without_mutators
from equipoise.archive.outbox import SHOWN, Outbox, OutboxNote, wait_after

HOOKS = {"result": ("one", "two"), "teams": ("one",)}


@pytest.fixture
def outbox(tmp_path: Path) -> Outbox:
    """Return the outbox of a new archive."""
    with open_archive(f"sqlite:///{tmp_path}/a.db") as archive:
        return archive.outbox


def note(number: int, kind: str = "result") -> OutboxNote:
    """Return something to tell."""
    return OutboxNote(kind, f"id{number}", f'{{"n": {number}}}')


def test_waits_double_from_a_second_to_an_hour() -> None:
    """However often it was tried."""
    assert [wait_after(tries) for tries in range(1, 15)] == [min(2.0**n, 3600.0) for n in range(14)]
    assert wait_after(10**6) == 3600.0


def test_notes_are_due_for_the_hooks_that_want_them(outbox: Outbox) -> None:
    """Once each, by when they are due; what nobody wants is not kept."""
    outbox.put(HOOKS, [note(1), note(2, "teams"), note(3, "other")], 100.0)
    outbox.put(HOOKS, [note(1)], 50.0)
    outbox.put(HOOKS, [note(4)], 90.0)
    assert [each.id for each in outbox.due("one", 100.0, 9)] == ["id4", "id1", "id2"]
    assert [each.id for each in outbox.due("one", 100.0, 2)] == ["id4", "id1"]
    assert [each.id for each in outbox.due("one", 99.9, 9)] == ["id4"]
    assert [each.id for each in outbox.due("two", 100.0, 9)] == ["id4", "id1"]
    (first, *_) = outbox.due("two", 90.0, 9)
    assert (first.made, first.due, first.tries, first.sent, first.trouble, first.body) == (
        90.0,
        90.0,
        0,
        0.0,
        "",
        '{"n": 4}',
    )
    assert outbox.waiting() == {"one": (3, 90.0), "two": (2, 90.0)}


def test_what_fails_is_tried_again_later_and_what_was_taken_is_not(outbox: Outbox) -> None:
    """What was sent is shown for a day; of one hook nothing of another is forgotten."""
    outbox.put(HOOKS, [note(1), note(2)], 100.0)
    for tries, now in ((1, 100.0), (2, 101.0), (3, 103.0)):
        (each, *_) = [one for one in outbox.due("one", now, 9) if one.id == "id1"]
        outbox.failed(each, now, "x" * 300)
        (again,) = [one for one in outbox.listed(9) if (one.hook, one.id) == ("one", "id1")]
        assert (again.tries, again.due, again.trouble) == (tries, now + 2.0 ** (tries - 1), "x" * 200)
    assert [each.id for each in outbox.due("one", 106.9, 9)] == ["id2"]
    outbox.took(again, 200.0)
    (sent,) = [one for one in outbox.listed(9) if (one.hook, one.id) == ("one", "id1")]
    assert (sent.tries, sent.sent, sent.trouble) == (4, 200.0, "")
    assert [each.id for each in outbox.due("one", 1e9, 9)] == ["id2"]
    assert [each.sent > 0 for each in outbox.listed(9)] == [False, False, False, True]
    other = outbox.due("two", 1e9, 9)[0]
    outbox.took(other, 200.0 + SHOWN + 1.0)
    assert len(outbox.listed(9)) == 4
    last = outbox.due("one", 1e9, 9)[0]
    outbox.took(last, 200.0 + SHOWN)
    assert len(outbox.listed(9)) == 4
    outbox.took(last, 200.0 + SHOWN + 1.0)
    assert sorted((each.hook, each.id) for each in outbox.listed(9)) == [
        ("one", "id2"),
        ("two", "id1"),
        ("two", "id2"),
    ]
    assert len(outbox.listed(2)) == 2


def result(name: str) -> Match:
    """Return a match of an id."""
    return Match((Contest(Ruleset("g"), [["ann"], ["bob"]], (1, 2), at=9.0),), id=name)


def test_a_part_of_an_id_stands_for_its_match(tmp_path: Path) -> None:
    """Beginnings before other parts; several are a question unless one is the whole."""
    with open_archive(f"sqlite:///{tmp_path}/a.db") as archive:
        archive.record([result(name) for name in ("abc", "abcd", "xyab", "zz9", "9q")])
        for typed, gone in (("abc", "abc"), ("z9", "zz9"), ("9", "9q"), ("xy", "xyab")):
            archive.undo(typed)
            assert gone not in {match.id for match in archive.matches()}
        for typed, message in (
            ("ab", "several have an id with 'ab'"),
            ("w", "there is none whose id is or has 'w'"),
            ("", "there is none whose id is or has ''"),
        ):
            with pytest.raises(InputError, match=f"^match: {message}"):
                archive.undo(typed)


def test_a_file_says_which_mutators_change_play(tmp_path: Path) -> None:
    """In small letters; one is not in both lists."""
    path = tmp_path / "mutators.toml"
    path.write_text('[G]\ngameplay = ["Low"]\ncosmetic = ["Fog", "rain"]\n[h]\n', encoding="utf-8-sig")
    found = read_mutators(str(path))
    assert found.gameplay == {"g": frozenset({"low"})}
    assert found.cosmetic == {"g": frozenset({"fog", "rain"})}
    match = Match((Contest(Ruleset("g", "ctf", ("fog", "low")), [["a"], ["b"]], (1, 2)),), id="m")
    assert without_mutators(match, found.cosmetic).ruleset == Ruleset("g", "ctf", ("low",))
    assert without_mutators(match, {"h": frozenset({"fog"})}) is match
    for text, message in (
        ("g = 1", r"\[g\] must be a table with the lists gameplay and cosmetic"),
        ("[g]\nother = []", r"\[g\] must be a table with the lists"),
        ("[g]\ngameplay = 'x'", "g.gameplay must be a list of names"),
        ("[g]\ngameplay = [1]", "g.gameplay must be a list of names"),
        (
            "[g]\ngameplay = ['b', 'a']\ncosmetic = ['a', 'b']",
            "g: 'a' is in both lists; it changes play or does not",
        ),
        ("[", ""),
    ):
        path.write_text(text)
        with pytest.raises(InputError, match=f"^--mutators: .*{message}"):
            read_mutators(str(path))
    with pytest.raises(InputError, match="cannot be read"):
        read_mutators(str(tmp_path / "none"))
