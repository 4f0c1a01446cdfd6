"""Parts of one computation on all cores of this machine, or on a cluster of Ray.

Both give what :data:`equipoise.core.tasks.IN_TURN` gives, bit for bit and in the same order, whatever ends
meanwhile: a part is a function of its arguments, so that one whose process was killed is done again.  Nothing
is kept in either: what all parts share is sent to each process once, and again to one that replaces it.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import socket
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from tempfile import gettempdir
from types import TracebackType
from typing import Any, TypeVar

from equipoise.core.packages import needs
from equipoise.core.tasks import IN_TURN, Tasks
from equipoise.errors import EquipoiseError, InputError
from equipoise.service.worker_pool import Worker, WorkerError, cores

#: Parts that are handed out for each process, so that none waits for the next.
WINDOW = 3  # effort

#: How often a part is begun whose process ends each time.
ATTEMPTS = 10

#: Seconds until a process is gone that was ended: the loop outlives it, however busy the machine is.
GONE = 30.0

#: Seconds until a cluster answers that is there.
THERE = 10.0

Result = TypeVar("Result")


def in_order(
    items: Iterable[Any], window: int, hand_out: Callable[[Any], Any], wait: Callable[[Any], Result]
) -> Iterator[Result]:
    """Hand out parts, no more than a window of them at a time, and give the results in their order."""
    handed: deque[Any] = deque()
    for item in items:
        handed.append(hand_out(item))
        if len(handed) >= window:
            yield wait(handed.popleft())
    while handed:
        yield wait(handed.popleft())


class Computing:
    """The role of a process that does parts."""

    def __init__(self) -> None:
        self._shared: dict[int, tuple[Any, Any]] = {}

    def __call__(self, question: tuple[Any, ...] | None) -> Generator[None, None, Any]:
        """Take what parts share, or do one; what it raises is part of the answer."""
        yield from ()
        if question is None:
            return None
        if len(question) == 3:
            key, function, shared = question
            self._shared = {key: (function, shared)}
            return None
        key, item = question
        function, shared = self._shared[key]
        try:
            return True, function(shared, item)
        except Exception as error:  # noqa: BLE001 -- raised again where it was asked for
            return False, error


class _Keys:
    """The key of what parts share: that of the last call, where it is the very same."""

    def __init__(self) -> None:
        self._last: tuple[int, Any, Any] = (0, None, None)

    def of(self, function: Any, shared: Any) -> int:
        """Return the key of a function, and of what it is given beside each item."""
        key, of, beside = self._last
        if of is not function or beside is not shared:
            self._last = key + 1, function, shared
        return self._last[0]


class LocalCores:
    """The cores of this machine, each with a process of its own; use it in ``with``.

    Parameters
    ----------
    workers : int
        How many processes; 0 for one a core.
    """

    def __init__(self, workers: int = 0) -> None:
        self.ahead = workers or cores()
        self._loop = asyncio.new_event_loop()
        self._workers = [Worker("compute") for _ in range(self.ahead)]
        self._has: dict[Worker, tuple[int | None, int]] = {}
        self._free: asyncio.Queue[Worker] = asyncio.Queue()
        for each in self._workers:
            self._free.put_nowait(each)
        self._keys = _Keys()
        self._tasks: set[asyncio.Task[Any]] = set()

    def __enter__(self) -> LocalCores:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.run_until_complete(self._end())
        self._loop.close()

    async def _end(self) -> None:
        """End all processes, whatever they do."""
        for task in self._tasks:  # no others: what begins a process must come to its end
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(each.end(GONE) for each in self._workers))

    def __call__(
        self, function: Callable[[Any, Any], Result], shared: Any, items: Iterable[Any]
    ) -> Iterator[Result]:
        """Return what a function gives for each item, in their order.

        What is shared must not change, also until it is shared again: processes that have it keep it.

        Raises
        ------
        EquipoiseError
            If the processes that do a part end again and again.
        """
        key = self._keys.of(function, shared)

        def hand_out(item: Any) -> asyncio.Task[Any]:
            task = self._loop.create_task(self._done(key, function, shared, item))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
            return task

        return in_order(items, WINDOW * self.ahead, hand_out, self._loop.run_until_complete)

    async def _done(self, key: int, function: Any, shared: Any, item: Any) -> Any:
        worker = await self._free.get()
        try:
            for attempt in itertools.count(1):
                try:
                    if self._has.get(worker) != (worker.pid, key) or worker.pid is None:
                        await worker.ask((key, function, shared))
                        self._has[worker] = worker.pid, key
                    well, found = await worker.ask((key, item))
                    break
                except WorkerError as error:
                    if attempt == ATTEMPTS:
                        msg = f"a part could not be computed: its process has ended {ATTEMPTS} times"
                        raise EquipoiseError(msg) from error
                    self._has.pop(worker, None)
        finally:
            self._free.put_nowait(worker)
        if not well:
            raise found
        return found


class RayCluster:
    """A cluster of Ray; use it in ``with``.

    Parameters
    ----------
    address : str
        Where it is; empty for one that is begun here and ends with this.

    Raises
    ------
    InputError
        If Ray is not installed, or there is no cluster.
    """

    def __init__(self, address: str = "") -> None:
        for name, value in (("RAY_USAGE_STATS_ENABLED", "0"), ("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")):
            os.environ.setdefault(name, value)
        try:
            self._ray: Any = import_module("ray")
        except ImportError as error:
            raise InputError(needs("ray"), "ray") from error
        more = {} if address else {"include_dashboard": False}
        try:
            _check_there(address)
            self._ray.init(address or "local", log_to_driver=False, logging_level="error", **more)
        except Exception as error:  # whatever Ray raises, some of it plain exceptions
            why = str(error).strip().partition("\n")[0]
            msg = f": no cluster can be reached at {address or 'this machine'}: {why}"
            raise InputError(msg, "ray") from error
        self.ahead = max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        self._keys = _Keys()
        self._held: tuple[int, Any] = (0, None)

    def __enter__(self) -> RayCluster:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ray.shutdown()

    def __call__(
        self, function: Callable[[Any, Any], Result], shared: Any, items: Iterable[Any]
    ) -> Iterator[Result]:
        """Return what a function gives for each item, in their order; lost parts are done again by Ray.

        What is shared must not change, as for :class:`LocalCores`.

        Raises
        ------
        EquipoiseError
            If the cluster is gone.
        """
        key = self._keys.of(function, shared)
        if self._held[0] != key:
            self._held = key, self._ray.put((function, shared))
        part = self._ray.remote(max_retries=-1)(done_in_ray)
        named = f"{os.getpid()}-{key}"
        return in_order(items, WINDOW * self.ahead, partial(part.remote, named, [self._held[1]]), self._got)

    def _got(self, handed: Any) -> Any:
        try:
            well, found = self._ray.get(handed)
        except self._ray.exceptions.RayError as error:
            msg = f"Ray could not compute a part: {str(error).splitlines()[0]}"
            raise EquipoiseError(msg) from error
        if not well:
            raise found
        return found


def _check_there(address: str) -> None:
    """Raise an OSError where nothing listens at an address: Ray itself would try for minutes."""
    if address == "auto":
        address = os.environ.get("RAY_ADDRESS") or _begun_last()
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host:
        socket.create_connection((host.strip("[]"), int(port)), THERE).close()


def _begun_last() -> str:
    """Return the address that Ray keeps of the cluster that was begun last here; nothing of none."""
    path = Path(os.environ.get("RAY_TMPDIR") or gettempdir(), "ray", "ray_current_cluster")
    return path.read_text(encoding="utf-8").strip() if path.exists() else ""


#: What parts share, in a process of Ray, so that it is read once.
_in_ray: dict[str, tuple[Any, Any]] = {}


def done_in_ray(key: str, held: list[Any], item: Any) -> tuple[bool, Any]:
    """Do one part in a process of Ray; what it raises is part of the answer."""
    if key not in _in_ray:
        ray: Any = import_module("ray")
        _in_ray.clear()
        _in_ray[key] = ray.get(held[0])
    function, shared = _in_ray[key]
    try:
        return True, function(shared, item)
    except Exception as error:  # noqa: BLE001 -- raised again where it was asked for
        return False, error


@contextmanager
def fanned_out(ray: str | None, workers: int, *, pays: bool) -> Iterator[Tasks]:
    """Give what does the parts of a computation.

    Parameters
    ----------
    ray : str or None
        The address of a cluster of Ray, empty for one that is begun here; None for the cores of this machine.
    workers : int
        How many processes without Ray; 0 for one a core where that pays, or none.
    pays : bool
        Whether the work is worth beginning processes.

    Raises
    ------
    InputError
        If the cluster cannot be had.
    """
    if ray is not None:
        with RayCluster(ray) as cluster:
            yield cluster
    elif workers > 1 or (pays and not workers and cores() > 1):
        with LocalCores(workers) as local:
            yield local
    else:
        yield IN_TURN
