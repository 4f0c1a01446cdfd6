"""Tokens: who may read, report and correct; made, listed and revoked in a file that holds only their hashes.

A token is ``eq_ID_SECRET``; the secret is 256 random bits, so that a plain hash of it tells nothing.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import os
import secrets
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from equipoise.errors import InputError

#: What a token may be for; each may do what those before it may.
SCOPES = ("read", "report", "admin")

#: How tokens begin, and bytes of an id and of a secret.
PREFIX, ID_BYTES, SECRET_BYTES = "eq", 4, 32

#: Seconds between two looks whether the file has changed.
LOOK = 1.0

#: What the file is called in messages.
WHERE = "tokens"


@dataclass(frozen=True, slots=True)
class Token:
    """A token as it is kept.

    Parameters
    ----------
    id : str
        What tells it from others; it is part of the token.
    name : str
        Who has it, as people call them.
    scope : str
        One of :data:`SCOPES`.
    hash : str
        SHA-256 of the secret, in hexadecimal digits.
    made : str
        When it was made, ISO 8601 in UTC.
    """

    id: str
    name: str
    scope: str
    hash: str
    made: str


class Holder(NamedTuple):
    """Whose a token is: its id, and what it is for."""

    id: str
    scope: str


#: The id of the token that stands in no file of tokens.
SINGLE = "single"


def digest(secret: str) -> str:
    """Return the hash of a secret."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def read(path: str) -> list[Token]:
    """Return the tokens of a file, none where there is no file.

    Raises
    ------
    InputError
        If it cannot be read, or is another file.
    """
    try:
        plain = json.loads(Path(path).read_text(encoding="utf-8"))
        tokens = [Token(**each) for each in plain["tokens"]]
    except FileNotFoundError:
        return []
    except OSError as error:
        msg = f": {path} cannot be read: {error.strerror or error}"
        raise InputError(msg, WHERE) from error
    except (ValueError, TypeError, LookupError) as error:
        msg = f": {path} is not a file of tokens; 'equipoise tokens make' makes one"
        raise InputError(msg, WHERE) from error
    if any(each.scope not in SCOPES for each in tokens):
        msg = f": {path} has a token with an unknown scope; they are {', '.join(SCOPES)}"
        raise InputError(msg, WHERE)
    return tokens


def make(path: str, name: str, scope: str) -> tuple[Token, str]:
    """Make a token and keep its hash; return what is kept, and the token itself, which is nowhere else.

    Raises
    ------
    InputError
        If the file cannot be read or written, or the scope is unknown.
    """
    if scope not in SCOPES:
        msg = f"must be one of {', '.join(SCOPES)}, got {scope!r}"
        raise InputError(msg, "scope")
    secret = secrets.token_hex(SECRET_BYTES)
    made = datetime.now(UTC).isoformat(timespec="seconds")  # noqa: TID251 -- the shell may look at the clock
    token = Token(secrets.token_hex(ID_BYTES), name, scope, digest(secret), made)
    with _alone(path):
        _write(path, [*read(path), token])
    return token, f"{PREFIX}_{token.id}_{secret}"


def revoke(path: str, token_id: str) -> Token:
    """Take a token back; return what was kept of it.

    Raises
    ------
    InputError
        If there is no such token.
    """
    with _alone(path):
        tokens = read(path)
        found = next((each for each in tokens if each.id == token_id), None)
        if found is None:
            msg = f"id: there is no token {token_id!r}; 'equipoise tokens list' lists them"
            raise InputError(msg)
        _write(path, [each for each in tokens if each is not found])
    return found


@contextlib.contextmanager
def _alone(path: str) -> Iterator[None]:
    """Keep other processes from writing the file at the same time, where the system has locks."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    try:
        with open(f"{path}.lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
    except OSError as error:
        msg = f": {path} cannot be written: {error.strerror or error}"
        raise InputError(msg, WHERE) from error


def _write(path: str, tokens: list[Token]) -> None:
    """Write the file as a whole, which only its owner may read."""
    text = json.dumps({"tokens": [asdict(each) for each in tokens]}, indent=1) + "\n"
    at = Path(path)
    number, name = tempfile.mkstemp(dir=at.parent, prefix=at.name)
    with os.fdopen(number, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(name, path)


class Keyring:
    """What a server knows of tokens: those of a file, which is looked at again and again, and a single one.

    Parameters
    ----------
    path : str
        The file, empty for none.
    single : str
        A token that may report, empty for none.
    """

    def __init__(self, path: str = "", single: str = "") -> None:
        self._path = path
        self._single = digest(single) if single else ""
        self._tokens: dict[str, Token] = {}
        self._stamp: tuple[int, ...] | None = None
        self._looked = 0.0
        if path:
            self._tokens = {each.id: each for each in read(path)}
            self._stamp = self._stamped()
            self._looked = monotonic()

    @property
    def can_report(self) -> bool:
        """Whether any token may report."""
        self._look()
        return bool(self._single) or any(each.scope != "read" for each in self._tokens.values())

    def holder(self, token: str) -> Holder | None:
        """Return whose a token is, None for a wrong one; how long that takes tells nothing about it."""
        self._look()
        _, _, rest = token.partition("_")
        token_id, _, secret = rest.partition("_")
        known = self._tokens.get(token_id)
        right = hmac.compare_digest(digest(secret), known.hash if known else digest(""))
        single = hmac.compare_digest(digest(token), self._single or digest(""))
        if known is not None and right and token.startswith(f"{PREFIX}_"):
            return Holder(known.id, known.scope)
        return Holder(SINGLE, "report") if single and self._single else None

    def may(self, token: str, scope: str) -> bool:
        """Tell whether a token is for something."""
        found = self.holder(token)
        return found is not None and SCOPES.index(found.scope) >= SCOPES.index(scope)

    def _stamped(self) -> tuple[int, ...] | None:
        try:
            found = Path(self._path).stat()
        except OSError:
            return None
        return found.st_ino, found.st_size, found.st_mtime_ns

    def _look(self) -> None:
        """Read the file again where it has changed; one that cannot be read leaves no token right."""
        if not self._path or monotonic() - self._looked < LOOK:
            return
        self._looked = monotonic()
        stamp = self._stamped()
        if stamp != self._stamp:
            self._stamp = stamp
            try:
                self._tokens = {each.id: each for each in read(self._path)}
            except InputError:
                self._tokens = {}
