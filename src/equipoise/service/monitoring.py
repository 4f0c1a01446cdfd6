"""What an operator sees of a running server: its counts and times as Prometheus reads them, and its log.

The log has one event a line, as text for people or as JSON for programs.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Histogram, disable_created_metrics, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

#: Upper ends of the classes of latencies, seconds.
CLASSES = (0.001, 0.0025, 0.01, 0.05, 0.25, 1.0, 2.5, 10.0)

#: Upper ends of the classes of waits in a queue, seconds, and of how far matches are from even.
WAITS = (1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0, 600.0)
IMBALANCES = (0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.15, 0.2, 0.3)

#: The media type of the text.
MEDIA_TYPE = b"text/plain; version=0.0.4; charset=utf-8"

disable_created_metrics()  # type: ignore[no-untyped-call]  # when a count began is the start of the process


class ServerMetrics:
    """What was answered, by protocol and kind, and what there is at the moment when it is asked for.

    Examples
    --------
    >>> metrics = ServerMetrics()
    >>> metrics.answered("http", "balance", "200", 0.003)
    >>> [line for line in metrics.text().splitlines() if line.startswith("equipoise_requests_total")]
    ['equipoise_requests_total{kind="balance",protocol="http",status="200"} 1.0']
    """

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "equipoise_requests",
            "Requests that were answered.",
            ("protocol", "kind", "status"),
            registry=self._registry,
        )
        self._latencies = Histogram(
            "equipoise_request_seconds",
            "How long answers took.",
            ("protocol", "kind"),
            buckets=CLASSES,
            registry=self._registry,
        )
        self._answered: dict[tuple[str, str, str], tuple[Counter, Histogram]] = {}
        self._failed = Counter(
            "equipoise_failed_authentications", "Wrong tokens.", ("protocol",), registry=self._registry
        )
        self._waits = Histogram(
            "equipoise_queue_wait_seconds", "How long tickets waited for a match.", ("queue",),
            buckets=WAITS, registry=self._registry,
        )  # fmt: skip
        self._imbalances = Histogram(
            "equipoise_queue_imbalance", "How far from even the chances of matches were.", ("queue",),
            buckets=IMBALANCES, registry=self._registry,
        )  # fmt: skip
        self._relaxed = Counter(
            "equipoise_queue_relaxed", "Tickets in matches whose tolerances no longer counted.", ("queue",),
            registry=self._registry,
        )  # fmt: skip
        self._replies = Counter(
            "equipoise_queue_events", "What became of tickets and matches.", ("queue", "kind"),
            registry=self._registry,
        )  # fmt: skip
        self._left = Counter(
            "equipoise_queue_left", "Why tickets have left.", ("queue", "why"), registry=self._registry
        )
        for protocol in ("http", "weights"):
            self._failed.labels(protocol)

    def answered(self, protocol: str, kind: str, status: str, seconds: float) -> None:
        """Count an answer and the time that it took."""
        key = (protocol, kind, status)
        found = self._answered.get(key)
        if found is None:  # to find them again and again takes as long as to count
            found = self._answered[key] = (
                self._requests.labels(*key), self._latencies.labels(protocol, kind)
            )  # fmt: skip
        found[0].inc()
        found[1].observe(seconds)

    def failed(self, protocol: str) -> None:
        """Count a wrong token."""
        self._failed.labels(protocol).inc()

    def matched(self, queue: str, figures: Mapping[str, Any]) -> None:
        """Count a match that a queue has made: how long its tickets waited, and how even it is."""
        for wait in figures["waits"]:
            self._waits.labels(queue).observe(wait)
        self._imbalances.labels(queue).observe(figures["imbalance"])
        self._relaxed.labels(queue).inc(figures["relaxed"])

    def replied(self, queue: str, kind: str, count: int) -> None:
        """Count what became of tickets and matches."""
        self._replies.labels(queue, kind).inc(count)

    def left(self, queue: str, why: str, count: int) -> None:
        """Count tickets that have left, by the reason."""
        self._left.labels(queue, why).inc(count)

    def watch(self, now: Callable[[], Iterable[Metric]]) -> None:
        """Tell besides what a function finds when it is asked for."""

        class Now:
            def collect(self) -> Iterable[Metric]:
                return now()

            def describe(self) -> Iterable[Metric]:
                return ()

        self._registry.register(Now())

    def text(self) -> str:
        """Return everything."""
        return generate_latest(self._registry).decode()


def gauge(name: str, what: str, values: Mapping[str, float] | float, label: str = "") -> Metric:
    """Return what there is now: one number, or one for each value of a label."""
    return _family(GaugeMetricFamily, name, what, values, label)


def counter(name: str, what: str, values: Mapping[str, float] | float, label: str = "") -> Metric:
    """Return what was counted elsewhere; its name ends with ``_total``."""
    return _family(CounterMetricFamily, name, what, values, label)


def gauge_of_two(
    name: str, what: str, values: Mapping[tuple[str, str], float], labels: tuple[str, str]
) -> Metric:
    """Return what there is now for each pair of values of two labels."""
    family = GaugeMetricFamily(name, what, labels=labels)
    for pair, value in values.items():
        family.add_metric(pair, value)
    return family


def _family(
    kind: type[GaugeMetricFamily] | type[CounterMetricFamily],
    name: str,
    what: str,
    values: Mapping[str, float] | float,
    label: str,
) -> Metric:
    if not isinstance(values, Mapping):
        return kind(name, what, value=values)
    family = kind(name, what, labels=(label,))
    for each, value in values.items():
        family.add_metric((each,), value)
    return family


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
