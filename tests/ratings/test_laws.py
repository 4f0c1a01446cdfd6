"""Every registered rating model keeps the laws of its kind."""

from __future__ import annotations

import numpy as np
import pytest

from equipoise.registry import MODELS, resolve
from equipoise.testing import check_model


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("name", MODELS)
def test_every_model_keeps_the_laws(name: str, seed: int) -> None:
    """See :func:`equipoise.testing.check_model`."""
    check_model(resolve("model", MODELS, name)(), np.random.default_rng(seed))
