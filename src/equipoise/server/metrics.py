"""Counts and times of what the service does, as Prometheus reads them (text format 0.0.4)."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

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
