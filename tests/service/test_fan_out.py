"""Parts of a computation give the same on all cores as in turn, whatever ends meanwhile."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import numpy as np
import pytest

from equipoise.core.match import Contest, Match, Ruleset
from equipoise.core.tasks import IN_TURN
from equipoise.errors import EquipoiseError, InputError
from equipoise.play.what_if import ARMS, what_if
from equipoise.ratings.lab.tuning import tune
from equipoise.service.fan_out import LocalCores, RayCluster

pytestmark = pytest.mark.slow

#: What another process finds under its name.
POWER = pow


def test_results_come_in_the_order_of_the_parts() -> None:
    """However many processes there are, and whatever is left of an earlier computation."""
    wanted = list(IN_TURN(POWER, 2, range(40)))
    with LocalCores(3) as cores:
        assert list(cores(POWER, 2, range(40))) == wanted
        started = cores(POWER, 3, range(1000))
        assert next(started) == 1
        assert list(cores(POWER, 2, range(40))) == wanted


class Sent:
    """What is 2 in another process, and counts how often it is sent to one."""

    times = 0

    def __reduce__(self) -> tuple[type[int], tuple[int]]:
        type(self).times += 1
        return int, (2,)


@pytest.mark.parametrize("on_ray", [False, True])
def test_what_is_shared_again_is_sent_once(*, on_ray: bool) -> None:
    """To each process, or to the cluster, however many computations share it one after the other."""
    if on_ray:
        pytest.importorskip("ray", reason="Ray is not installed: pip install 'equipoise[cluster]'")
    shared, Sent.times = Sent(), 0
    with RayCluster() if on_ray else LocalCores(2) as tasks:
        for _ in range(4):
            assert list(tasks(POWER, shared, range(10))) == [2**n for n in range(10)]
        assert 1 <= Sent.times <= 2
        assert list(tasks(POWER, 3, range(10))) == [3**n for n in range(10)]


def test_what_a_part_raises_is_raised() -> None:
    """With its kind and its words."""
    with LocalCores(2) as cores, pytest.raises(ZeroDivisionError, match="zero"):
        list(cores(divmod, 1, [1, 0]))


def test_a_part_whose_process_was_killed_is_done_again(tmp_path: Path) -> None:
    """Once is enough; one that kills each of its processes ends with a message."""
    with LocalCores(2) as cores:
        assert list(cores(POWER, 2, range(5))) == [1, 2, 4, 8, 16]
        for worker in cores._workers:
            if worker.pid is not None:
                os.kill(worker.pid, signal.SIGKILL)
        assert list(cores(POWER, 2, range(5))) == [1, 2, 4, 8, 16]
        with pytest.raises(EquipoiseError, match="ended 10 times"):
            list(cores(eval, "__import__('os')._exit(1)", [{}]))


def test_a_search_and_what_if_are_those_of_one_process() -> None:
    """To the bit, for a search with steps that were tried in vain, and teams that are divided and judged."""
    rng = np.random.default_rng(0)
    matches = []
    for n in range(60):
        names = [f"p{each}" for each in rng.permutation(12)[:6]]
        lead = 1 if rng.random() < 0.6 else 2
        contest = Contest(Ruleset(), (names[:3], names[3:]), (lead, 3 - lead), at=float(n) * 3600.0)
        matches.append(Match((contest,)))
    contests = [match.contests[0] for match in matches]
    arms = {name: ARMS[name] for name in ("played", "random", "equipoise")}
    with LocalCores(3) as cores:
        assert tune(contests, steps=10, tasks=cores) == tune(contests, steps=10)
        assert what_if(matches, arms=arms, tasks=cores) == what_if(matches, arms=arms)


def test_ray_gives_the_same() -> None:
    """On a cluster that begins and ends here, what is raised too."""
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'equipoise[cluster]'")
    with RayCluster() as cluster:
        assert list(cluster(POWER, 2, range(40))) == [2**n for n in range(40)]
        with pytest.raises(ZeroDivisionError, match="zero"):
            list(cluster(divmod, 1, [1, 0]))


@pytest.mark.parametrize("address", ["127.0.0.1:1", "auto"])
def test_a_cluster_that_is_not_there_is_named(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No traceback of Ray's; the one that was begun last on this machine may have been killed."""
    ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'equipoise[cluster]'")
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setattr(ray, "init", lambda *_, **__: pytest.fail("Ray tries for more than a minute"))
    (tmp_path / "ray").mkdir()
    (tmp_path / "ray" / "ray_current_cluster").write_text("127.0.0.1:1", encoding="utf-8")
    with pytest.raises(InputError, match="no cluster can be reached at"):
        RayCluster(address)
