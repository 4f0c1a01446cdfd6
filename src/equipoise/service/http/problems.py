"""Problems as answers over HTTP (RFC 9457), and the place in a body that they are about (RFC 6901).

The library's messages begin with the place as people read it (``players, entry 3``); the pointer is found
from that and from the body itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from equipoise.identity.roster_lookup import MOST_LISTED, AmbiguousNameError

#: The media type of a problem.
MEDIA_TYPE = "application/problem+json"

#: How the types of problems begin: a name for programs, not an address.
TYPE = "urn:equipoise:problem:"

#: What messages of the library call a body, and a place in it: a field, an entry of it, or a key.
BODY = "body"
_PLACE = re.compile(
    r"body(?:: (?P<field>\w+)(?:, (?:entry|rule|line) (?P<number>\d+))?(?:\.(?P<key>.*?))?)?: (?P<what>.*)",
    re.DOTALL,
)
_HEAD = re.compile(r"(?P<field>\w+)(?:\.(?P<key>\w+))?(?=[: ])")
_NO_FIELD = re.compile(r"there is no (?:field|key) '(?P<name>[^']+)'|'(?P<other>[^']+)' is not a field")
_FIRST = re.compile(r"(?:the )?(?P<name>\w+)")


@dataclass(frozen=True, slots=True)
class HttpProblem:
    """Why there is no answer.

    Parameters
    ----------
    status : int
        The status of HTTP.
    kind : str
        What kind of problem it is, in small letters with hyphens.
    detail : str
        What is wrong and what is allowed, for people.
    pointer : str or None
        Where in the body, as a JSON pointer; None if it is not about the body.
    more : mapping
        What else a program may want to know.
    """

    status: int
    kind: str
    detail: str
    pointer: str | None = None
    more: Mapping[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Return the problem as plain data.

        Examples
        --------
        >>> HttpProblem(422, "invalid", "teams must be from 2 to 100, got 1", "/teams").as_dict()["errors"]
        [{'detail': 'teams must be from 2 to 100, got 1', 'pointer': '#/teams'}]
        """
        plain: dict[str, Any] = {
            "type": TYPE + self.kind,
            "title": self.kind.replace("-", " ").capitalize(),
            "status": self.status,
            "detail": self.detail,
        }
        if self.pointer is not None:
            plain["errors"] = [{"detail": self.detail, "pointer": f"#{self.pointer}"}]
        return plain | dict(self.more)

    def encoded(self) -> bytes:
        """Return the problem as JSON."""
        return json.dumps(self.as_dict(), ensure_ascii=False).encode("utf-8", "replace")


def ambiguous(error: AmbiguousNameError) -> HttpProblem:
    """Return the problem of a name that several people have, with them as ``candidates``.

    Examples
    --------
    >>> ambiguous(AmbiguousNameError("Max", (("a1", "Max"), ("b2", "MAX")))).as_dict()["candidates"]
    [{'id': 'a1', 'name': 'Max'}, {'id': 'b2', 'name': 'MAX'}]
    """
    some = error.candidates[:MOST_LISTED]
    candidates = [{"id": player, "name": name} for player, name in some]
    return HttpProblem(409, "ambiguous-name", str(error), more={"name": error.name, "candidates": candidates})


def pointer_to(*keys: str | int) -> str:
    """Return the JSON pointer to what stands under keys.

    Examples
    --------
    >>> pointer_to("fixed", "a/b", 2)
    '/fixed/a~1b/2'
    """
    return "".join(f"/{str(key).replace('~', '~0').replace('/', '~1')}" for key in keys)


def located(message: str, data: Any, argument: str = "", base: Sequence[str | int] = ()) -> tuple[str, str]:
    """Return the place in a body that a message of the library is about, and the message without the place.

    Parameters
    ----------
    message : str
        The message; it begins with :data:`BODY` and a place, with a field, or with neither.
    data : object
        The body, as JSON has it.
    argument : str
        The field that is at fault, where the error names it.
    base : sequence
        Where in the body the data stand.

    Examples
    --------
    >>> body = {"players": [{"name": "Ann"}, {"name": "Bob", "weight": -1}]}
    >>> located("body: players, entry 2: the weight must be at least 0, got -1", body)
    ('/players/1/weight', 'the weight must be at least 0, got -1')
    >>> located("keep must be at least 1, got 0", {"players": [], "keep": 0}, "keep")
    ('/keep', 'keep must be at least 1, got 0')
    """
    keys: list[str | int] = []
    found = _PLACE.fullmatch(message)
    if argument:
        keys = list(argument.split("."))
        what = message
    elif found:
        what = found["what"]
        keys = _keys(found["field"], found["number"], found["key"], data)
    else:
        what = message
        head = _HEAD.match(message)
        if head and isinstance(data, Mapping) and head["field"] in data:
            keys = [head["field"], *([head["key"]] if head["key"] else [])]
    unknown = _NO_FIELD.match(what)
    inner = _within(data, keys)
    if unknown:
        keys.append(unknown["name"] or unknown["other"])
    elif found and isinstance(inner, Mapping) and (first := _FIRST.match(what)) and first["name"] in inner:
        keys.append(first["name"])
    return pointer_to(*base, *keys), what


def _keys(name: str | None, number: str | None, key: str | None, data: Any) -> list[str | int]:
    """Return the keys of a place as people read it."""
    if name is None:
        return []
    keys: list[str | int] = [name]
    if number is not None:
        at = int(number) - 1
        inner = _within(data, keys)
        names = list(inner) if isinstance(inner, Mapping) else []
        keys.append(names[at] if at < len(names) else at)
    if key is not None:
        keys.append(key)
    return keys


def _within(data: Any, keys: Sequence[str | int]) -> Any:
    """Return what stands under keys, None where nothing does."""
    for key in keys:
        try:
            data = data[key]
        except (LookupError, TypeError):
            return None
    return data


#: Steps of the paths that msgspec tells: ``$.players[3].name``, ``$[...]`` for a key.
_STEP = re.compile(r"\.([^.\[]+)|\[(\d+)\]")


def pointer_of_path(path: str) -> str:
    """Return the JSON pointer of a path as msgspec writes it.

    Examples
    --------
    >>> pointer_of_path("$.players[3].name"), pointer_of_path("$")
    ('/players/3/name', '')
    """
    return pointer_to(*(name or int(number) for name, number in _STEP.findall(path)))
