"""Kernels are written once, in Python: this is where the same source becomes machine code.

A kernel is a plain function over numbers and indexable sequences, in the part of Python that numba
compiles.  Plain and compiled it gives the same numbers bit for bit (no fast-math), so which of them ran
is a matter of speed alone.  numba costs about half a second to load and is absent on some platforms, so it is
imported only where it pays: see :func:`pays`.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Iterable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import FunctionType
from typing import Any, Protocol, TypeVar, cast

import numpy as np

from equipoise.core import notices, simd_lanes

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

#: Seconds that loading numba and a kernel that it kept takes, with byte code on disk and without, and those
#: that compiling a kernel takes which was not kept, for itself and each that it calls.
LOADING, FROM_SOURCE, COMPILING = 0.8, 2.5, 1.0  # effort

#: How many times that there must be left of a limit of time: other work may want the processor, too.
ROOM = 2.0  # effort

#: What numba has to know of vectors: their functions are then not compiled from their source.
VECTOR_TYPES = "equipoise.core.simd_types"


@cache
def available() -> bool:
    """Import numba, and tell whether that went well: it is absent from some platforms, and broken on some."""
    try:
        import_module("numba")
    except Exception:  # noqa: BLE001  # whatever is wrong with it, the plain kernels do
        return False
    _listen()
    return True


class Loading(Protocol):
    """Something that loads numba beside other work, such as a thread."""

    def is_alive(self) -> bool:
        """Tell whether it still does."""

    def is_here(self) -> bool:
        """Tell whether it is what runs now."""

    def join(self) -> None:
        """Wait until it has ended."""


#: What loads numba beside other work now: until it has ended, work for which loading would not pay by itself
#: is done without, so that a process that others wait for does not stand still.
loading: list[Loading] = []


@cache
def has_vectors() -> bool:
    """Tell whether compiled kernels may be given vectors: not where this numba is unlike those known."""
    try:
        import_module(VECTOR_TYPES)
    except Exception:  # noqa: BLE001  # numba promises none of what it needs; numbers alone do
        return False
    return True


@cache
def _listen() -> None:
    """Have numba tell when it compiles, once, so that those who wait hear of it."""
    try:
        event = import_module("numba.core.event")

        class CompilationListener(event.Listener):  # type: ignore[name-defined,misc]
            def on_start(self, happening: Any) -> None:
                cache = getattr(happening.data["dispatcher"], "_cache", None)
                for listener in notices.compiling:
                    listener(type(cache).__name__ != "NullCache")

            def on_end(self, happening: Any) -> None:
                pass

        event.register("numba:compile", CompilationListener())
    except (ImportError, AttributeError):  # a version without events compiles in silence
        pass


def pays(
    work: float,
    worth: float,
    left: float = math.inf,
    kernels: Iterable[Callable[..., Any]] = (),
    worth_kept: float = math.inf,
) -> bool:
    """Tell whether compiled kernels are worth using for a piece of work.

    Parameters
    ----------
    work : float
        The size of the work, in any unit.
    worth : float
        The size, in the same unit, from which loading numba for this one piece pays.  Once numba is
        loaded, smaller work is compiled too.
    left : float
        The seconds there are: numba is not loaded, and nothing compiled, where that may take longer.
    kernels : iterable of callable
        What is to be run: where one of them would have to be compiled first, there must be time for that.
    worth_kept : float
        The size from which it pays where nothing has to be compiled, if that is known.
    """
    for each in loading:
        if each.is_alive() and not each.is_here():
            if work < worth or left < math.inf:
                return False
            each.join()
    loaded = "numba" in sys.modules
    kernels = tuple(kernels)
    if not loaded and work < min(worth, worth_kept):
        return False
    if not loaded and (work < worth or left < math.inf):
        kept = all(map(_left_behind, kernels))
        # Where nothing is kept beside the source, it may be elsewhere: only numba can tell.
        left -= ROOM * _seconds_to_load() * (1.0 if kept else 2.0)
        worth = worth_kept if kept and worth_kept < worth else worth
    if (not loaded and (work < worth or left < 0.0)) or not available():
        return False
    return left == math.inf or left >= ROOM * COMPILING * sum(map(_unkept, kernels))


def _unkept(kernel: Callable[..., Any]) -> int:
    """Return how many kernels have to be compiled before one can run: those it calls are compiled into it."""
    if is_kept(kernel):
        return 0
    found, open_ones = set[FunctionType](), [cast("FunctionType", kernel)]
    while open_ones:
        one = open_ones.pop()
        if one not in found:
            found.add(one)
            open_ones.extend(_called(one).values())
    return len(found)


def chosen(kernel: Kernel, work: float, worth: float, left: float = math.inf) -> Kernel:
    """Return the compiled twin of a kernel where that :func:`pays`, else the kernel itself."""
    return cast("Kernel", compiled(kernel)) if pays(work, worth, left, (kernel,)) else kernel


def run(kernel: Callable[..., Any], *arguments: Any, fast: bool) -> Any:
    """Run a kernel over numbers, arrays and tuples of them: its compiled twin, or the plain function.

    The plain one gets views of the arrays, which give plain numbers and are several times faster to index.
    """
    if fast:
        return compiled(kernel)(*arguments)
    return kernel(*map(_viewed, arguments))


def _viewed(argument: Any) -> Any:
    if isinstance(argument, np.ndarray):
        return argument.data
    if not isinstance(argument, tuple):
        return argument
    viewed = tuple(map(_viewed, argument))
    return viewed if type(argument) is tuple else type(argument)(*viewed)


@cache
def _seconds_to_load() -> float:
    """Return what loading numba takes: longer where Python has to read its source."""
    spec = find_spec("numba")
    loader: Any = spec.loader if spec is not None else None
    try:
        loader.get_data(spec.cached if spec is not None else "")
    except (AttributeError, OSError, TypeError):
        return FROM_SOURCE
    return LOADING


def _left_behind(kernel: Callable[..., Any]) -> bool:
    """Tell whether an earlier process left a compiled kernel beside its source, without loading numba."""
    function = cast("FunctionType", kernel)
    spec = find_spec(function.__module__)
    loader: Any = None if spec is None else spec.loader
    module = function.__module__.rpartition(".")[2]
    folder = (getattr(spec, "cached", None) or "").rpartition(module)[0]
    version = f"py{sys.version_info.major}{sys.version_info.minor}{getattr(sys, 'abiflags', '')}"
    line = function.__code__.co_firstlineno
    try:
        loader.get_data(f"{folder}{module}.{_twin_name(function)}-{line}.{version}.nbi")
    except (AttributeError, OSError):
        return False
    return True


def renamed(kernel: Kernel, name: str) -> Kernel:
    """Return a kernel under another name, under which it is compiled and kept apart: for other types, say."""
    function = cast("FunctionType", kernel)
    return cast("Kernel", _twin(function, name, function.__globals__))


def _twin(function: FunctionType, name: str, namespace: dict[str, Any]) -> FunctionType:
    """Return the same source under another name, looking up what it calls elsewhere."""
    twin = FunctionType(function.__code__, namespace, name)
    twin.__module__, twin.__annotations__ = function.__module__, function.__annotations__
    twin.__qualname__ = name
    return twin


def keeps(kernel: Callable[..., Any]) -> bool:
    """Tell whether a kernel that is compiled is kept for later processes, which takes a place to write."""
    twin: Any = compiled(kernel)
    return type(getattr(twin, "_cache", None)).__name__ != "NullCache"


def is_kept(kernel: Callable[..., Any]) -> bool:
    """Tell whether a kernel is compiled already, in this process or by an earlier one."""
    twin: Any = compiled(kernel)
    if getattr(twin, "signatures", None):
        return True
    if not keeps(kernel):
        return False
    try:
        return bool(twin._cache._cache_file._load_index())  # noqa: SLF001  # nothing public says it
    except AttributeError:  # numba promises none of these names
        return True


@cache
def compiled(kernel: Kernel) -> Kernel:
    """Return the compiled twin of a kernel, or the kernel itself where numba is absent.

    The kernels that it calls are compiled into it.  A kernel must not divide by 0: plain that is an error,
    and compiled it is not looked for.
    """
    if not available():
        return kernel
    import numba

    linked = _linked(kernel)
    options = _options()
    try:
        return cast("Kernel", numba.njit(linked, cache=True, **options))
    except RuntimeError:  # nowhere to keep the cache: compile for this process only
        return cast("Kernel", numba.njit(linked, **options))


def _options() -> dict[str, Any]:
    """Return how kernels are compiled: quick to call, where this version of numba knows how to."""
    # A call hands over a dozen arrays and counts references to each, which costs as much as the arithmetic:
    # so kernels are inlined, and references are not counted, since kernels allocate nothing.
    quick = {"forceinline": True, "_nrt": False}
    try:
        known = import_module("numba.core.options").DefaultOptions
    except (ImportError, AttributeError):  # numba promises neither the place nor the second option
        known = None
    return {"error_model": "numpy", **{name: quick[name] for name in quick if hasattr(known, name)}}


def _linked(kernel: Kernel) -> Kernel:
    """Return the same source bound to the compiled twins of the kernels it calls.

    Its name has a hash of all that is compiled into it: numba tells by the name and by the date of the file
    whether what it kept is stale, and looks at no other file.
    """
    function = cast("FunctionType", kernel)
    called = {name: compiled(other) for name, other in _called(function).items()}
    return cast("Kernel", _twin(function, _twin_name(function), {**function.__globals__, **called}))


def _twin_name(function: FunctionType) -> str:
    return f"{function.__qualname__}_{_source_hash(function)}"


def _called(function: FunctionType) -> dict[str, FunctionType]:
    """Return the kernels that a kernel calls, by the names it has for them."""
    return {
        name: other
        for name in function.__code__.co_names
        if isinstance(other := function.__globals__.get(name), FunctionType)
        and not (other.__module__ == simd_lanes.__name__ and has_vectors())
    }


def _source_hash(function: FunctionType) -> str:
    """Return a hash of a kernel's code and columns, the constants it looks up, and the kernels it calls."""
    import hashlib

    code, constants = function.__code__, []
    for name in code.co_names:
        value = function.__globals__.get(name)
        if isinstance(value, FunctionType):
            ours = value.__module__ != simd_lanes.__name__
            constants.append((name, _source_hash(value) if ours else _vectors_hash()))
        elif isinstance(value, int | float):
            constants.append((name, repr(value)))
    columns = _columns(function)
    content = repr((code.co_code, code.co_consts, code.co_names, code.co_varnames, constants, columns))
    return hashlib.sha256(content.encode()).hexdigest()[:12]


@cache
def _vectors_hash() -> str:
    """Return a hash of what numba knows of vectors."""
    import hashlib

    spec = find_spec(VECTOR_TYPES)
    loader: Any = None if spec is None else spec.loader
    try:
        return hashlib.sha256(loader.get_data(spec and spec.origin)).hexdigest()
    except (AttributeError, OSError, TypeError):
        return ""


def _columns(function: FunctionType) -> list[tuple[str, Any]]:
    """Return the named tuples that a kernel's parameters are, with their fields.

    Machine code knows a field by its place alone, and what numba keeps names the classes: one that has gone
    cannot be read again.
    """
    names = re.findall(r"\w+", " ".join(map(str, function.__annotations__.values())))
    classes = {name: function.__globals__.get(name) for name in names}
    return [(name, fields) for name, one in classes.items() if (fields := getattr(one, "_fields", None))]
