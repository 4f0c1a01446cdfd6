"""The kinds of arrays that the house passes around, named once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

#: Numbers: weights, totals, costs.
Floats = NDArray[np.float64]

#: Counts and indices.
Ints = NDArray[np.int64]

#: Indices of which there may be a million, in half the memory.
Places = NDArray[np.int32]

#: The team of each block: shape (n_blocks,) for one split, (m, n_blocks) for many.
Labels = NDArray[np.int8]

#: Yes or no for each.
Bools = NDArray[np.bool_]
