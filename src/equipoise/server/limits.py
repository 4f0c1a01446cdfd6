"""What the connections of a server may take."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

from equipoise.errors import InputError
from equipoise.protocols.weights.commands import Limits


def check_above_zero(limits: Any) -> None:
    """Refuse a number of a dataclass of limits that is not above 0.

    Raises
    ------
    InputError
        If there is one.
    """
    for each in fields(limits):
        number = getattr(limits, each.name)
        if isinstance(number, int | float) and not 0 < number < float("inf"):
            msg = f"{each.name} must be above 0, got {number!r}"
            raise InputError(msg)


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """What all connections together, those of one address, and one connection may take.

    Parameters
    ----------
    connections, per_address : int
        How many may be open; one more is refused and closed.
    slow_seconds : float
        A connection that does not take its answers for so long is cut off.
    grace_seconds : float
        How long the server waits at its end for answers to be made and taken.

    Raises
    ------
    InputError
        If a limit is not above 0.
    """

    connections: int = 1024
    per_address: int = 768
    slow_seconds: float = 30.0
    grace_seconds: float = 10.0

    def __post_init__(self) -> None:
        check_above_zero(self)

    def places(self, allowed: int) -> tuple[int, int]:
        """Return how many connections there may be, and how many from one address.

        Parameters
        ----------
        allowed : int
            How many the system allows; where these are fewer, one address gets at most three quarters.

        Examples
        --------
        >>> ConnectionLimits().places(10_000), ConnectionLimits().places(192)
        ((1024, 768), (192, 144))
        """
        if allowed >= self.connections:
            return self.connections, self.per_address
        return allowed, min(self.per_address, max(1, allowed * 3 // 4))


@dataclass(frozen=True, slots=True)
class ServerLimits(ConnectionLimits):
    """What the connections of the weight protocol may take, besides what is common to all.

    Parameters
    ----------
    idle_seconds : float
        A connection that sends no complete line for so long is closed.
    wrong_token_seconds : float
        How long the answer to a wrong token is held back; as many times longer as there were before.
    conversation : Limits
        What one conversation may keep.
    """

    connections: int = 2048
    per_address: int = 1536
    idle_seconds: float = 600.0
    wrong_token_seconds: float = 1.0
    conversation: Limits = field(default_factory=Limits)
