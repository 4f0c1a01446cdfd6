"""What people paste, read by the library and by the board: ``python -m benchmarks pastes``.

``benchmarks/files/pastes.jsonl`` has 500 pastes, 56 kinds with nine sets of names, with what is meant by
them, written from how chats, sheets and servers look by those who wrote the grammar: a stand-in, no judge.
A paste is right at once, right with a choice that its question offers, put back (refused, or the very line
is quoted as not read), or misread.
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

OUTCOMES = ("right at once", "right with a choice", "put back", "misread")


def cases() -> list[dict[str, Any]]:
    """Return the pastes and what is understood by them."""
    return [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]


def players_of(roster: ReadRoster) -> list[list[Any]]:
    """Return name, weight and party of each player."""
    return [[one.label, None if one.rating is None else one.rating.mu, one.party] for one in roster]


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
    given, meant = players_of(roster), case["gives"]
    if given == meant:
        return "right at once" if read is None else "right with a choice"
    unread = " ".join(text for _, text in roster.heard.unread) if roster.heard else ""
    missing = [name for name, *_ in meant if name not in {one[0] for one in given}]
    extra = [one for one in given if one not in meant]
    return "put back" if missing and not extra and all(name in unread for name in missing) else "misread"


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
    by_kind = {kind: Counter[str]() for kind in sorted({case["kind"] for case in corpus})}
    for case, came in zip(corpus, outcomes, strict=True):
        by_kind[case["kind"]][came] += 1
    return {"run": describe(), "kinds": by_kind, "differ": differ}


def page(result: dict[str, Any]) -> str:
    """Return the page of a result."""
    total = Counter[str]()
    for counts in result["kinds"].values():
        total.update(counts)
    lines = ["# What people paste", "", "Written by `python -m benchmarks pastes`.",
             (f"There are {total.total()} pastes with what is meant by them, "
             "written by the project's own people from how chats, sheets and servers look."),
             "Put back means that it is refused, or that the very line is quoted as not read.",
             f"The board's script reads {len(result['differ'])} of them otherwise than the library.", "",
             "| kind | " + " | ".join(OUTCOMES) + " |", "|---|" + "--:|" * len(OUTCOMES)]  # fmt: skip
    for kind, counts in [*result["kinds"].items(), ("**all**", total)]:
        lines.append(f"| {kind} | " + " | ".join(str(counts.get(one, 0) or "") for one in OUTCOMES) + " |")
    return "\n".join(lines) + "\n"


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
