"""Every proof is true: a part of the benchmark, which asks 20,000 times."""

from __future__ import annotations

import json

import pytest
from benchmarks.peers.answer_requests import answer
from benchmarks.reporting import RAW
from benchmarks.teams.proofs import FALSE, TRUE, verdict
from benchmarks.teams.random_requests import question

pytestmark = pytest.mark.slow

BEFORE = RAW / "proofs-before.json"

#: Requests that an earlier version answered falsely, of every kind that was found.
FALSE_BEFORE = json.loads(BEFORE.read_text(encoding="utf-8"))["false"][:40]

#: Those that were answered falsely on the way: line-ups that tie on paper, weights of very different sizes.
FALSE_ONCE = (
    444, 520, 1823, 3051, 4179, 6458, 7153, 7391, 8607, 10779, 11132, 11823, 12742, 12860, 17436, 17517,
    17778,
)  # fmt: skip


@pytest.mark.parametrize("number", [*range(60), *FALSE_ONCE, *FALSE_BEFORE])
def test_no_answer_is_false_and_what_was_proven_still_is(number: int) -> None:
    """The oracle in fractions finds no stage worse, no tie missed, no point of a front too many."""
    asked = question(number)
    judged = verdict(asked, answer(asked))
    assert judged.kind not in FALSE, judged.why
    assert judged.kind in TRUE
