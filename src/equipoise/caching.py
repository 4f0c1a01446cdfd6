"""``cached``: a property that is worked out when it is first asked for."""

from __future__ import annotations

from functools import cached_property
from typing import Any, TypeVar, overload

Value = TypeVar("Value")


class cached(cached_property[Value]):  # noqa: N801  # a decorator, as the one it stands for
    """A :class:`functools.cached_property` without a lock.

    The one of Python 3.11 holds a lock, the same for all objects, while it works one of them out.  That takes
    longer than most of what is worked out here, and lets threads wait for each other.  Without it two threads
    may both work out a value, which is the same, as it depends on nothing that changes.

    Examples
    --------
    >>> class Square:
    ...     side = 3
    ...
    ...     @cached
    ...     def area(self):
    ...         return self.side * self.side
    >>> Square().area
    9
    """

    @overload
    def __get__(self, instance: None, owner: type[Any] | None = None) -> cached[Value]: ...
    @overload
    def __get__(self, instance: object, owner: type[Any] | None = None) -> Value: ...
    def __get__(self, instance: object, owner: type[Any] | None = None) -> Any:
        """Work the value out and keep it where Python looks first the next time."""
        if instance is None:
            return self
        name: Any = self.attrname
        value = instance.__dict__[name] = self.func(instance)
        return value
