"""What is in a file, as text: what every loader does first."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import cast

from equipoise.errors import InputError
from equipoise.fields import fail


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
