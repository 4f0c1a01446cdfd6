"""Texts and numbers from files: what every loader does the same, with messages that say the place."""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from pathlib import Path
from typing import Any, NoReturn, cast

from equipoise.errors import InputError
from equipoise.players import LARGEST_WEIGHT

#: Longest name that is accepted: four times what any game server of the trade allows.
LONGEST_NAME = 200

#: Decimal numbers, as people write them; what Python also takes (``1_000``, ``nan``) is met later or not.
NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![^\s])")
NO_NUMBER = re.compile(r"[+-]?(?:nan|inf(?:inity)?)(?![^\s])", re.IGNORECASE)


def fail(where: str, what: str) -> NoReturn:
    """Raise what is wrong with a place in a file."""
    msg = f"{where}: {what}"
    raise InputError(msg)


def content_of(source: str) -> tuple[str, bytes]:
    """Return what messages call a file, and what is in it; ``-`` is standard input."""
    if source == "-":
        stdin = cast("object", sys.stdin)  # None where it was closed before the start
        if stdin is None:
            fail("standard input", "it is closed")
        return "standard input", sys.stdin.buffer.read()
    try:
        return source, Path(source).read_bytes()
    except (OSError, ValueError) as error:
        msg = f"{source}: cannot be read: {getattr(error, 'strerror', None) or error}"
        raise InputError(msg) from error


#: The control characters of Unicode (category Cc) but tab and line feed.
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def decoded(content: bytes, where: str) -> str:
    """Return UTF-8 text with line feeds, without a byte order mark; anything else is refused."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        fail(where, "it is UTF-16; save it as UTF-8")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        number = content.count(b"\n", 0, error.start) + 1
        fail(f"{where}, line {number}", "it is not UTF-8 text; save the file as UTF-8")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    found = CONTROL.search(text)
    if found is not None:
        number = text.count("\n", 0, found.start()) + 1
        fail(
            f"{where}, line {number}",
            f"it has the control character {found.group()!r}; the file must be plain text",
        )
    return text


def text_of(value: Any, field: str, at: str) -> str:
    """Return a name or other short text, stripped."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        fail(at, f"{field} {short(json.dumps(value))} is not a text")
    text = str(value).strip()
    if len(text) > LONGEST_NAME:
        fail(at, f"the {field} has {len(text)} characters; at most {LONGEST_NAME} are allowed")
    # What can be printed has neither; asking that first is what makes a million lines a matter of seconds.
    if not text.isprintable() and any(unicodedata.category(sign) in ("Cc", "Cs") for sign in text):
        fail(at, f"the {field} {short(text)} has control characters; plain text is allowed")
    return text


def number_of(value: Any, field: str, at: str) -> float:
    """Return a finite number of at most 1e15 in size."""
    if isinstance(value, str):
        stripped = value.strip()
        if not (NUMBER.fullmatch(stripped) or NO_NUMBER.fullmatch(stripped)):
            fail(at, f"{field} {short(stripped)} is not a number; numbers look like 42 or 3.5")
        value = float(stripped)
    if isinstance(value, bool) or not isinstance(value, int | float):
        fail(at, f"{field} {short(json.dumps(value))} is not a number")
    if not -LARGEST_WEIGHT <= value <= LARGEST_WEIGHT:
        fail(at, f"{field} {value!s:.20} is not allowed; a finite number up to 1e15 in size is")
    return float(value)


def price_of(value: Any, field: str, at: str) -> float:
    """Return a price in win probability: ``2%`` or ``0.02``, from 0 to 100 %."""
    percent = isinstance(value, str) and value.strip().endswith("%")
    number = number_of(value.strip()[:-1] if percent else value, field, at)
    price = number / 100.0 if percent else number
    if not 0.0 <= price <= 1.0:
        fail(at, f"{field} {value} is not allowed; a win probability is, as 2% or 0.02")
    return price


def short(text: str) -> str:
    """Return a text as a message may show it: quoted, escaped, and cut."""
    return repr(text) if len(text) <= 40 else repr(text[:37] + "...")
