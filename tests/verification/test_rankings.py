"""The splits after the first: every list that leaves out a better one is found, and no true one is blamed."""

from __future__ import annotations

import pytest

from equipoise import BalanceRequest, balance, receipt, verify
from equipoise.verification.receipt_check import Verdict
from equipoise.verification.receipts import hash_of

#: Sums of distinct powers: no two splits are worth the same.
DISTINCT = {name: float(2**n) for n, name in enumerate("abcdef")}

#: Many splits are worth the same, some only up to rounding.
TIED = dict(zip("abcdef", (0.1, 0.2, 0.3, 0.1, 0.2, 0.3), strict=True))


def false_claims(whole: dict, splits: list) -> list[str]:  # type: ignore[type-arg]
    """Return which claims are false of a receipt with other splits."""
    forged = {**whole, "answer": {**whole["answer"], "splits": splits}}
    findings = verify({**forged, "hash": hash_of(forged)}).findings
    return [finding.claim for finding in findings if finding.verdict is Verdict.FALSE]


@pytest.mark.parametrize("objective", ["difference", "win", "spread"])
@pytest.mark.parametrize("weights", [DISTINCT, TIED], ids=["distinct", "tied"])
@pytest.mark.parametrize("keep", [1, 2, 5, 40])
def test_all_true_rankings_are_confirmed(weights: dict[str, float], objective: str, keep: int) -> None:
    """Of any length, with ties or without."""
    request = BalanceRequest.of(weights, objective=objective, keep=keep)
    assert verify(receipt(request, balance(request))).confirmed


def test_each_split_that_is_left_out_is_missed() -> None:
    """The best six without the n-th, with the seventh at the end; and the best five of six."""
    request = BalanceRequest.of(DISTINCT, objective="difference", keep=6)
    more = BalanceRequest.of(DISTINCT, objective="difference", keep=7)
    whole, splits = receipt(request, balance(request)), receipt(more, balance(more))["answer"]["splits"]
    assert len(splits) == 7
    assert false_claims(whole, splits[:6]) == []
    for n in range(1, 6):
        assert false_claims(whole, [*splits[:n], *splits[n + 1 :]]) == ["ranking"], n
    assert false_claims(whole, splits[:5]) == ["ranking"]
