"""What numba has to know of vectors: their type, and the machine code of all that may be done with them.

See :mod:`equipoise.core.simd_lanes`.  Nothing is faster than exact: exponentials and logarithms are those
of single numbers, lane after lane.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.datamodel import PrimitiveModel
from numba.core.extending import lower_builtin, lower_cast, register_model
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.np.arrayobj import make_array

from equipoise.core import simd_lanes

NUMBERS = (types.Float, types.Integer, types.Boolean)


class VectorType(types.Type):
    """So many floats side by side, a power of two: others would be stored with gaps."""

    def __init__(self, lanes: int) -> None:
        self.lanes = lanes
        super().__init__(name=f"Vector({lanes})")

    def can_convert_from(self, _: Any, other: Any) -> Any:
        """Take a number for a vector that has it in all lanes."""
        return Conversion.safe if isinstance(other, NUMBERS) else None


@register_model(VectorType)
class VectorModel(PrimitiveModel):
    """A vector is one of the processor's."""

    def __init__(self, manager: Any, of: VectorType) -> None:
        super().__init__(manager, of, ir.VectorType(ir.DoubleType(), of.lanes))


def _index(lane: int) -> Any:
    return ir.Constant(ir.IntType(32), lane)


def _lanes(builder: Any, vector: Any) -> list[Any]:
    return [builder.extract_element(vector, _index(lane)) for lane in range(vector.type.count)]


def _vector(builder: Any, numbers: list[Any]) -> Any:
    vector = ir.Constant(ir.VectorType(ir.DoubleType(), len(numbers)), ir.Undefined)
    for lane, number in enumerate(numbers):
        vector = builder.insert_element(vector, number, _index(lane))
    return vector


@lower_cast(types.Float, VectorType)
@lower_cast(types.Integer, VectorType)
@lower_cast(types.Boolean, VectorType)
def _spread(context: Any, builder: Any, given: Any, wanted: VectorType, number: Any) -> Any:
    return _vector(builder, [context.cast(builder, number, given, types.float64)] * wanted.lanes)


def _typed(name: Any, returned: Callable[..., Any]) -> None:
    """Let a function have a signature, by the types of what it is given, or none."""

    class Template(AbstractTemplate):
        key = name

        def generic(self, args: tuple[Any, ...], _: Any) -> Any:
            return returned(*args)

    infer_global(name)(Template)


def _lane_by_lane(names: tuple[Any, ...], many: int, code: Callable[..., Any], alone: Any = None) -> None:
    """Let functions of so many vectors, some of which may be numbers, have this code.

    Of numbers alone they have it where numba does not know them otherwise.
    """

    def returned(*given: Any) -> Any:
        vector = next((each for each in given if isinstance(each, VectorType)), alone)
        fit = all(each == vector or isinstance(each, NUMBERS) for each in given)
        return signature(vector, *[vector] * many) if vector and fit and len(given) == many else None

    for name in names:
        _typed(name, returned)
        of = VectorType if alone is None else types.Any
        lower_builtin(name, *[of] * many)(lambda _, builder, __, args: code(builder, *args))


def _one_by_one(function: Callable[[float], float]) -> None:
    """Let a function of a vector be that of each lane."""
    _typed(function, lambda given: signature(given, given) if isinstance(given, VectorType) else None)

    @lower_builtin(function, VectorType)
    def _code(context: Any, builder: Any, _: Any, args: list[Any]) -> Any:
        called = context.get_function(function, signature(types.float64, types.float64))
        return _vector(builder, [called(builder, [number]) for number in _lanes(builder, args[0])])


def _to_number(name: Any, code: Callable[..., Any]) -> None:
    """Let a function of a vector, or of a number and a vector, be a number; and so of numbers alone."""

    def returned(*given: Any) -> Any:
        last = given[-1] if isinstance(given[-1], VectorType) else types.float64
        return signature(types.float64, *[types.float64] * (len(given) - 1), last)

    def lowered(_: Any, builder: Any, made: Any, args: list[Any]) -> Any:
        lanes = _lanes(builder, args[-1]) if isinstance(made.args[-1], VectorType) else args[-1:]
        return code(builder, *args[:-1], *lanes)

    _typed(name, returned)
    lower_builtin(name, types.VarArg(types.Any))(lowered)


def _greater(builder: Any, one: Any, other: Any) -> Any:
    return builder.select(builder.fcmp_ordered(">", other, one), other, one)


def _smaller(builder: Any, one: Any, other: Any) -> Any:
    return builder.select(builder.fcmp_ordered("<", other, one), other, one)


def _above(builder: Any, one: Any, limit: Any) -> Any:
    return builder.uitofp(builder.fcmp_ordered(">", one, limit), one.type)


def _root(builder: Any, vector: Any) -> Any:
    function = ir.FunctionType(vector.type, [vector.type])
    name = f"llvm.sqrt.v{vector.type.count}f64"
    return builder.call(cgutils.get_or_insert_function(builder.module, function, name), [vector])


def _largest(builder: Any, top: Any, *others: Any) -> Any:
    for other in others:
        top = _greater(builder, top, other)
    return top


def _sum(builder: Any, total: Any, *others: Any) -> Any:
    for other in others:
        total = builder.fadd(total, other)
    return total


_lane_by_lane((operator.add, operator.iadd), 2, lambda builder, a, b: builder.fadd(a, b))
_lane_by_lane((operator.sub, operator.isub), 2, lambda builder, a, b: builder.fsub(a, b))
_lane_by_lane((operator.mul, operator.imul), 2, lambda builder, a, b: builder.fmul(a, b))
_lane_by_lane((operator.truediv, operator.itruediv), 2, lambda builder, a, b: builder.fdiv(a, b))
_lane_by_lane((operator.neg,), 1, lambda builder, a: builder.fneg(a))
_lane_by_lane((max,), 2, _greater)
_lane_by_lane((min,), 2, _smaller)
_lane_by_lane((simd_lanes.above,), 2, _above, alone=types.float64)
_lane_by_lane((math.sqrt,), 1, _root)
_one_by_one(math.exp)
_one_by_one(math.log)
_to_number(simd_lanes.shared, lambda _, number, *__: number)
_to_number(simd_lanes.largest, _largest)
_to_number(simd_lanes.add_up, _sum)


def _with_vectors(given: Any) -> Any:
    """Return a type of columns with vectors for records."""
    if isinstance(given, types.Array) and isinstance(given.dtype, types.Record):
        # Not aligned: a vector may begin at any float.
        return types.Array(VectorType(len(given.dtype)), given.ndim, given.layout, aligned=False)
    if isinstance(given, types.NamedUniTuple):
        return types.NamedUniTuple(_with_vectors(given.dtype), given.count, given.instance_class)
    if isinstance(given, types.UniTuple):
        return types.UniTuple(_with_vectors(given.dtype), given.count)
    return given


def _viewed(context: Any, builder: Any, given: Any, wanted: Any, value: Any) -> Any:
    """Return columns of records as columns of vectors, at the same place in memory."""
    if given == wanted:
        return value
    if isinstance(given, types.UniTuple | types.NamedUniTuple):
        parts = cgutils.unpack_tuple(builder, value, given.count)
        viewed = [_viewed(context, builder, given.dtype, wanted.dtype, part) for part in parts]
        return context.make_tuple(builder, wanted, viewed)
    records, array = make_array(given)(context, builder, value), make_array(wanted)(context, builder)
    for name in ("meminfo", "parent", "nitems", "itemsize", "shape", "strides"):
        setattr(array, name, getattr(records, name))
    array.data = builder.bitcast(records.data, array.data.type)
    return array._getvalue()  # noqa: SLF001  # the way numba's own functions return an array


_typed(simd_lanes.in_lanes, lambda given: signature(_with_vectors(given), given))


@lower_builtin(simd_lanes.in_lanes, types.Any)
def _in_lanes(context: Any, builder: Any, made: Any, args: list[Any]) -> Any:
    return _viewed(context, builder, made.args[0], made.return_type, args[0])
