"""What people paste, read by the library and by the board: ``python -m benchmarks pastes``.

``benchmarks/files/pastes.jsonl`` has pastes as chats, sheets, sign-up tools and game servers give them,
written by hand before the grammar was tried on them, with what they mean.  Each was read twice by its
author: when it was written, and from the pastes alone in another order.  Where a reading saw two meanings,
or the readings differed, a paste is not ``alike`` and has every meaning.
A paste is right at once, right with a choice that its question offers, put back (refused, or the very line
is quoted as not read), or misread; one that is not alike may be taken for one of its meanings.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.pages.board import ask_script
from benchmarks.reporting import PAGES, RAW, describe, write

from equipoise.errors import AmbiguousError, InputError
from equipoise.files.read_roster import ReadRoster, parse_roster

CORPUS = Path(__file__).parent / "pastes.jsonl"
RESULT, PAGE = RAW / "pastes.json", PAGES / "PASTES.md"

#: Questions that are answered one after the other, at most.
MOST_QUESTIONS = 3

OUTCOMES = ("right at once", "right with a choice", "taken", "put back", "misread")


def cases() -> list[dict[str, Any]]:
    """Return the pastes and what is understood by them."""
    return [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]


def players_of(roster: ReadRoster) -> list[list[Any]]:
    """Return name, weight and party of each player."""
    return [[one.label, None if one.rating is None else one.rating.mu, one.party] for one in roster]


def means(given: list[list[Any]], meant: list[list[Any]]) -> bool:
    """Tell whether players are those meant: names, weights or their order, and who belongs together."""
    named = [["+1" if name.startswith("Guest ") else name, weight, party] for name, weight, party in given]
    if _groups(named) != _groups(meant):
        return False
    pairs = list(zip(_weights(named), _weights(meant), strict=True))
    plain = [(one, other) for (_, one), (_, other) in pairs if not isinstance(other, str)]
    ranked = [(one, int(other[1:])) for (_, one), (_, other) in pairs if isinstance(other, str)]
    if any((one is None) != (other is None) or (one or 0.0) != (other or 0.0) for one, other in plain):
        return False
    return not any(
        (one is None) or (one > another) != (rank > lower)
        for one, rank in ranked
        for another, lower in ranked
    )


def _groups(players: list[list[Any]]) -> list[list[str]]:
    groups: dict[Any, list[str]] = {}
    for place, (name, _, party) in enumerate(players):
        groups.setdefault(("alone", place) if party is None else party, []).append(name)
    return sorted(sorted(names) for names in groups.values())


def _weights(players: list[list[Any]]) -> list[tuple[str, Any]]:
    return sorted(((name, weight) for name, weight, _ in players), key=lambda one: (one[0], str(one[1])))


def outcome(case: dict[str, Any], read: str | None = None, depth: int = 0) -> str:
    """Return what comes of a paste."""
    try:
        roster = parse_roster(case["paste"].encode(), "paste", read=read)
    except AmbiguousError as error:
        if depth < MOST_QUESTIONS:
            for way in error.ways:
                if outcome(case, way if read is None else f"{read},{way}", depth + 1).startswith("right"):
                    return "right with a choice"
        return "put back"
    except InputError:
        return "put back"
    given = players_of(roster)
    if any(means(given, meant) for meant in case["means"]):
        if read is not None:
            return "right with a choice"
        return "right at once" if case["alike"] or len(case["means"]) == 1 else "taken"
    unread = " ".join(text for _, text in roster.heard.unread) if roster.heard else ""
    names = {one[0] for one in given}
    for meant in case["means"]:
        wanted = {name for name, *_ in meant}
        if wanted - names and not names - wanted and all(name in unread for name in wanted - names):
            return "put back"
    return "misread"


def measured() -> dict[str, Any]:
    """Return the outcomes, and where the board's script reads something else."""
    corpus = cases()
    outcomes = [outcome(case) for case in corpus]
    differ = []
    for case, answer in zip(corpus, ask_script([{"paste": case["paste"]} for case in corpus]), strict=True):
        try:
            same = answer.get("gives") == players_of(parse_roster(case["paste"].encode(), "paste"))
        except AmbiguousError as error:
            same = answer.get("name") == "AmbiguousFault" and set(answer["ways"]) == set(error.ways)
        except InputError:
            same = "says" in answer
        if not same:
            differ.append(case["paste"])
    kinds = {
        kind: {"alike": Counter[str](), "not alike": Counter[str]()}
        for kind in dict.fromkeys(case["kind"] for case in corpus)
    }
    for case, came in zip(corpus, outcomes, strict=True):
        kinds[case["kind"]]["alike" if case["alike"] else "not alike"][came] += 1
    return {"run": describe(), "kinds": kinds, "differ": differ}


def page(result: dict[str, Any]) -> str:
    """Return the page of a result."""
    text = f"""# What people paste

Written by `python -m benchmarks pastes`.
The pastes are the project's own, as chats, sheets, sign-up tools and game servers give them.
They were written by hand before the grammar was tried on them, and it was mended by what they showed.
So the figures say what it holds, not what it does on pastes that it has never met.
Each was read twice by its author, when it was written and from the pastes alone in another order.
What had two meanings in either reading is in the second table.
Those of other voices and of strangers came later, as attacks on the grammar.
It was mended by them, and their meanings were settled by reading what it says of each, by hand where it
refuses them.
Put back means that it is refused, or that the very line is quoted as not read.
Taken means that one of the meanings was read without a question, and said.
The board's script reads {len(result["differ"])} of them otherwise than the library.
"""
    lines = text.split("\n")
    for alike, title in (("alike", "Read alike"), ("not alike", "With more than one meaning")):
        outcomes = [one for one in OUTCOMES if alike == "not alike" or one != "taken"]
        rows = [(kind, counts[alike]) for kind, counts in result["kinds"].items() if counts[alike]]
        total = Counter[str]()
        for _, counts in rows:
            total.update(counts)
        lines += [
            f"## {title}: {total.total()}",
            "",
            "| from | " + " | ".join(outcomes) + " |",
            "|---|" + "--:|" * len(outcomes),
        ]
        for kind, counts in [*rows, ("**all**", total)]:
            lines.append(
                f"| {kind} | " + " | ".join(str(counts.get(one, 0) or "") for one in outcomes) + " |"
            )
        lines.append("")
    return "\n".join(lines[:-1]) + "\n"


def main() -> int:
    """Measure, or with ``--check`` tell whether the page is that of the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="measure nothing; compare the page")
    parser.add_argument("--report", action="store_true", help="measure nothing; write the page")
    parser.add_argument("--show", metavar="OUTCOME", help="print the pastes of an outcome")
    options = parser.parse_args()
    if options.show:
        for case in cases():
            if outcome(case) == options.show:
                print(json.dumps(case, ensure_ascii=False))
        return 0
    if not options.check and not options.report:
        found = json.dumps(measured(), ensure_ascii=False, indent=1)
        RESULT.write_text(found + "\n", encoding="utf-8")
    result = json.loads(RESULT.read_text(encoding="utf-8"))
    return write(PAGE, page(result), "pastes", check=options.check)


if __name__ == "__main__":
    sys.exit(main())
