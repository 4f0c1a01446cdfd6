"""Counts and times of what the service does, as Prometheus reads them (text format 0.0.4).

The log of what a server does: one event a line, as text for people or as JSON for programs.
"""

from __future__ import annotations

import json
import logging
import sys
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

#: Upper ends of the classes of latencies, seconds.
CLASSES = (0.001, 0.0025, 0.01, 0.05, 0.25, 1.0, 2.5, 10.0)

#: The media type of the text.
MEDIA_TYPE = b"text/plain; version=0.0.4; charset=utf-8"

#: A metric that is read when asked for: its name, what it says, its kind, and its values by labels.
Gauge = tuple[str, str, str, Mapping[str, float]]


class Latencies:
    """How long answers of one kind took."""

    __slots__ = ("classes", "total")

    def __init__(self) -> None:
        self.classes = [0] * (len(CLASSES) + 1)
        self.total = 0.0

    def add(self, seconds: float) -> None:
        """Count one."""
        self.classes[bisect_left(CLASSES, seconds)] += 1
        self.total += seconds


class ServerMetrics:
    """What was answered, by protocol and kind.

    Examples
    --------
    >>> metrics = ServerMetrics()
    >>> metrics.answered("http", "balance", "200", 0.003)
    >>> [line for line in metrics.text().splitlines() if line.startswith("equipoise_requests_total")]
    ['equipoise_requests_total{protocol="http",kind="balance",status="200"} 1']
    """

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, str, str]] = Counter()
        self.latencies: defaultdict[tuple[str, str], Latencies] = defaultdict(Latencies)
        #: Failed authentications, by protocol.
        self.failed: Counter[str] = Counter()

    def answered(self, protocol: str, kind: str, status: str, seconds: float) -> None:
        """Count an answer and the time that it took."""
        self.requests[protocol, kind, status] += 1
        self.latencies[protocol, kind].add(seconds)

    def counted(self, protocol: str, kind: str, number: int) -> None:
        """Count answers whose times are not taken, since they take less than taking the time."""
        self.requests[protocol, kind, "ok"] += number

    def text(self, gauges: Iterable[Gauge] = ()) -> str:
        """Return everything, with some metrics that are read just now."""
        lines = _head("equipoise_requests_total", "Requests that were answered.", "counter")
        for (protocol, kind, status), number in sorted(self.requests.items()):
            lines.append(
                f'equipoise_requests_total{{protocol="{protocol}",kind="{kind}",status="{status}"}} {number}'
            )
        lines += _head("equipoise_request_seconds", "How long answers took.", "histogram")
        for (protocol, kind), found in sorted(self.latencies.items()):
            lines += _histogram(f'protocol="{protocol}",kind="{kind}"', found)
        lines += _head("equipoise_failed_authentications_total", "Wrong tokens.", "counter")
        for protocol in ("http", "weights"):
            lines.append(
                f'equipoise_failed_authentications_total{{protocol="{protocol}"}} {self.failed[protocol]}'
            )
        for name, what, kind, values in gauges:
            lines += _head(name, what, kind)
            lines += [f"{name}{labels} {value:g}" for labels, value in values.items()]
        return "\n".join(lines) + "\n"


def _head(name: str, what: str, kind: str) -> list[str]:
    return [f"# HELP {name} {what}", f"# TYPE {name} {kind}"]


def _histogram(labels: str, found: Latencies) -> list[str]:
    lines, below = [], 0
    for end, number in zip((*map(str, CLASSES), "+Inf"), found.classes, strict=True):
        below += number
        lines.append(f'equipoise_request_seconds_bucket{{{labels},le="{end}"}} {below}')
    lines.append(f"equipoise_request_seconds_sum{{{labels}}} {found.total:.6f}")
    lines.append(f"equipoise_request_seconds_count{{{labels}}} {below}")
    return lines


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
