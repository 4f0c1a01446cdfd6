"""What becomes of a claim: confirmed, false, or not confirmed, with how that is known."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from equipoise.verifying.best import TooMuchError
from equipoise.verifying.exact import UndecidedError


class Verdict(enum.StrEnum):
    """What became of a claim."""

    CONFIRMED = "confirmed"
    FALSE = "false"
    UNCONFIRMED = "not confirmed"


@dataclass(frozen=True, slots=True)
class Finding:
    """A claim of a receipt, what became of it, and how that is known."""

    claim: str
    verdict: Verdict
    detail: str

    def to_dict(self) -> dict[str, str]:
        """Return plain data."""
        return {"claim": self.claim, "verdict": str(self.verdict), "detail": self.detail}


@dataclass(frozen=True, slots=True)
class Verification:
    """What became of every claim of a receipt."""

    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing is false; what is not confirmed may still be."""
        return all(finding.verdict is not Verdict.FALSE for finding in self.findings)

    @property
    def confirmed(self) -> bool:
        """Whether everything is confirmed."""
        return all(finding.verdict is Verdict.CONFIRMED for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, as ``equipoise verify --json`` prints it."""
        return {
            "ok": self.ok,
            "confirmed": self.confirmed,
            "findings": [finding.to_dict() for finding in self.findings],
        }


class FalseError(Exception):
    """A claim is false."""


class UnconfirmedError(Exception):
    """A claim is out of reach."""


def found(claim: str, confirm: Callable[[], str]) -> Finding:
    """Return what becomes of a claim, from what confirms it or raises one of the errors."""
    try:
        return Finding(claim, Verdict.CONFIRMED, confirm())
    except (UnconfirmedError, TooMuchError, UndecidedError) as error:
        return Finding(claim, Verdict.UNCONFIRMED, str(error))
    except FalseError as error:
        return Finding(claim, Verdict.FALSE, str(error))
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, ArithmeticError) as error:
        return Finding(claim, Verdict.FALSE, f"it does not have the shape of an answer: {error!r}")


def require(holds: object, otherwise: str) -> None:
    """Raise an error that says what is otherwise, unless something holds."""
    if not holds:
        raise FalseError(otherwise)
