"""Kernels compiled again: where numba lacks what is wanted of it, and when what it kept is stale."""

from __future__ import annotations

from importlib import import_module
from types import FunctionType
from typing import NamedTuple, cast

import pytest
from tests.kernels import needs_numba

from equipoise.core import compiled as module
from equipoise.core import notices

pytestmark = [needs_numba, pytest.mark.slow]

#: What the kernels here look up.
STEP = 1.0


def add(number: float) -> float:
    """Call nothing."""
    return number + STEP


def twice(number: float) -> float:
    """Call another kernel."""
    return add(add(number))


def source_hash(kernel: object) -> str:
    """Return the hash by which a kernel is known."""
    return module._source_hash(cast("FunctionType", kernel))


def test_a_version_without_the_private_option_compiles_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """What numba does not know is not asked for."""
    assert module._options() == {"error_model": "numpy", "forceinline": True, "_nrt": False}
    monkeypatch.delattr("numba.core.options.DefaultOptions._nrt")
    assert module._options() == {"error_model": "numpy", "forceinline": True}
    monkeypatch.delattr("numba.core.options.DefaultOptions")
    assert module._options() == {"error_model": "numpy"}
    assert module.compiled.__wrapped__(plus_one)(2.0) == 3.0


def plus_one(number: float) -> float:
    """Be compiled by one test alone."""
    return number + 1.0


def test_a_changed_constant_or_callee_is_compiled_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """The name that the cache goes by changes with whatever is compiled in, and with nothing else."""
    before = source_hash(twice)
    assert source_hash(twice) == before
    monkeypatch.setitem(globals(), "STEP", 2.0)
    constant = source_hash(twice)
    monkeypatch.setitem(globals(), "add", plus_one)
    assert len({before, constant, source_hash(twice)}) == 3


class Columns(NamedTuple):
    """What a kernel is given."""

    one: float
    other: float


class Renamed(NamedTuple):
    """The same fields under another name."""

    one: float
    other: float


class Turned(NamedTuple):
    """The same fields in another order."""

    other: float
    one: float


def less(columns: Columns) -> float:
    """Look up fields, which machine code knows by their places."""
    return columns.one - columns.other


def test_changed_columns_are_compiled_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """A class that has gone cannot be read from what was kept, and fields in another order are other ones."""
    before = source_hash(less)
    assert source_hash(less) == before
    monkeypatch.setitem(globals(), "Columns", Turned)
    turned = source_hash(less)
    monkeypatch.setattr(less, "__annotations__", {"columns": "Renamed"})
    assert len({before, turned, source_hash(less)}) == 3


def test_without_a_place_for_the_cache_kernels_are_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library says so with a RuntimeError; the kernel is then compiled for this process."""
    numba = import_module("numba")
    real = numba.njit

    def nowhere(kernel: object, **options: object) -> object:
        if options.get("cache"):
            msg = "cannot cache function: no locator available"
            raise RuntimeError(msg)
        return real(kernel, **options)

    monkeypatch.setattr(numba, "njit", nowhere)
    assert module.compiled.__wrapped__(plus_one)(2.0) == 3.0
    monkeypatch.setattr(module, "compiled", module.compiled.__wrapped__)
    assert not module.keeps(plus_one)
    assert not module.pays(2.0, 1.0, 1.0, (plus_one,)), "each process would compile it again"
    assert module.pays(2.0, 1.0, 60.0, (plus_one,))


def test_a_kernel_is_compiled_where_there_is_time_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that was kept is taken at once; without time to compile, the plain one is."""
    assert module.chosen(twice, 1.0, 2.0, 0.1) is not None
    monkeypatch.setattr(module, "is_kept", lambda _: False)
    assert module.chosen(twice, 2.0, 1.0, 0.1) is twice
    assert module.chosen(twice, 2.0, 1.0) is module.compiled(twice)
    monkeypatch.setattr(module, "is_kept", lambda _: True)
    assert module.chosen(twice, 2.0, 1.0, 0.1) is module.compiled(twice)
    monkeypatch.delitem(module.sys.modules, "numba")
    assert not module.pays(2.0, 1.0, 0.1)
    assert module.pays(2.0, 1.0)


def test_time_to_compile_counts_for_every_kernel_that_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two kernels take twice as long as one, and neither is compiled where loading leaves too little time."""
    monkeypatch.setattr(module, "is_kept", lambda _: False)
    one = module.ROOM * module.COMPILING
    assert module.pays(2.0, 1.0, one, (add,))
    assert not module.pays(2.0, 1.0, 1.5 * one, (twice,))
    assert module.pays(2.0, 1.0, 2.0 * one, (twice,))
    monkeypatch.delitem(module.sys.modules, "numba")
    monkeypatch.setattr(module, "_left_behind", lambda _: False)
    load = 2.0 * module.ROOM * module._seconds_to_load()
    assert not module.pays(2.0, 1.0, load + one / 2.0, (add,))
    assert module.pays(2.0, 1.0, load + one, (add,))


def test_a_kernel_that_was_kept_is_known_without_loading_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is where numba keeps it, beside its source; less work pays for it than for one to be compiled."""
    assert module.keeps(twice)
    assert module.compiled(twice)(1.0) == twice(1.0)
    assert module._left_behind(twice)
    assert not module._left_behind(less)
    monkeypatch.delitem(module.sys.modules, "numba")
    assert module.pays(2.0, 3.0, kernels=(twice,), worth_kept=1.0)
    assert not module.pays(2.0, 3.0, kernels=(less,), worth_kept=1.0)
    assert not module.pays(2.0, 3.0, kernels=(twice,))


def minus_one(number: float) -> float:
    """Be compiled by one test alone, and kept nowhere."""
    return number - 1.0


def test_whoever_waits_hears_that_a_kernel_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once for each compilation, and not for a call of what is compiled."""
    heard: list[bool] = []
    monkeypatch.setattr(notices, "compiling", [heard.append])
    module.available()
    kernel = import_module("numba").njit(minus_one)
    assert not heard
    assert kernel(2.0) == kernel(2.0) == 1.0
    assert heard == [False]
