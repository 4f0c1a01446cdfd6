"""Parts of one computation that do not need each other, wherever they are done.

Whoever has such parts takes a :class:`Tasks` as an argument and goes through the results in the order of the
parts: what comes out is the same, bit for bit, in this process, on all cores, and on many machines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol, TypeVar

Shared = TypeVar("Shared")
Item = TypeVar("Item")
Result = TypeVar("Result")


class Tasks(Protocol):
    """Does the parts of a computation."""

    @property
    def ahead(self) -> int:
        """How many parts are done at the same time."""

    def __call__(
        self, function: Callable[[Any, Any], Result], shared: Any, items: Iterable[Any]
    ) -> Iterator[Result]:
        """Return what a function gives for each item, in their order.

        Parameters
        ----------
        function : callable
            Of a module, as it may be called in another process: ``function(shared, item)``.
        shared : object
            What all parts need; it is sent once.
        items : iterable
            The parts; gone through no further ahead than needed.
        """


class InTurn:
    """Does one part after the other, in this process."""

    ahead = 1

    def __call__(
        self, function: Callable[[Shared, Item], Result], shared: Shared, items: Iterable[Item]
    ) -> Iterator[Result]:
        """Return what a function gives for each item.

        Examples
        --------
        >>> import operator
        >>> list(IN_TURN(operator.add, 1, [2, 3]))
        [3, 4]
        """
        for item in items:
            yield function(shared, item)


#: One part after the other.
IN_TURN = InTurn()
