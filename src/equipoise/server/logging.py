"""The log of what a server does: one event a line, as text for people or as JSON for programs."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime

#: What every record has; anything else comes from the event.
_USUAL = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


class _Lines(logging.Formatter):
    """Fields of an event, in the order they were given."""

    def __init__(self, *, as_json: bool) -> None:
        super().__init__()
        self.as_json = as_json

    def format(self, record: logging.LogRecord) -> str:
        """Return the event as a line."""
        event = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **{key: value for key, value in vars(record).items() if key not in _USUAL},
        }
        if record.exc_info and record.exc_info[1] is not None:
            event["error"] = f"{type(record.exc_info[1]).__name__}: {record.exc_info[1]}"
        if self.as_json:
            return json.dumps(event, default=str)
        at, level, what, *rest = (f"{key}={value!r}" for key, value in event.items())
        del at, level, what
        return " ".join((event["at"], f"{event['level']:7}", *_one_line(event["event"], *rest)))


def _one_line(*texts: str) -> list[str]:
    """Return texts without what would begin another line, or move the cursor of a terminal."""
    return ["".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in text) for text in texts]


def current() -> tuple[str, bool]:
    """Return what :func:`log_events` was last given."""
    root = logging.getLogger("equipoise")
    as_json = any(getattr(handler.formatter, "as_json", False) for handler in root.handlers)
    return logging.getLevelName(root.getEffectiveLevel()).lower(), as_json


def log_events(level: str, *, as_json: bool) -> None:
    """Write events of this package from a level on to standard error, one line each."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Lines(as_json=as_json))
    root = logging.getLogger("equipoise")
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    root.propagate = False
    logging.getLogger("asyncio").handlers[:] = [handler]
