"""Every registered server keeps the laws of its kind."""

from __future__ import annotations

import numpy as np
import pytest
from tests.games.samples import SAMPLES

from equipoise.core.registry import SERVERS, resolve
from equipoise.games.laws import check_server
from equipoise.games.server_adapter import ServerFamily


@pytest.mark.parametrize("name", SERVERS)
def test_every_server_keeps_the_laws(name: str) -> None:
    """See :func:`equipoise.games.laws.check_server`; what is sent is plain, whatever a log says."""
    family: ServerFamily = resolve("server", SERVERS, name)
    for seed, sample in enumerate(SAMPLES[family.game]):
        try:
            check_server(family, sample, np.random.default_rng(seed))
        except AssertionError as error:
            if "seen" not in str(error):  # one reader has the logs of several games
                raise
        else:
            return
    pytest.fail(f"no sample of {family.game} is of {name}")
