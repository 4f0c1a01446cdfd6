"""Small parts of the core: the least of many, addresses, deadlines that are shared, chances, bots."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from equipoise import Bots, InputError, Player, Rating, deadline
from equipoise.core.addresses import host_and_port
from equipoise.core.arrays import ascending, least
from equipoise.core.clock import Deadline, shares
from equipoise.core.player import rated_by_roles
from equipoise.core.stopping import never, seconds_left, share_of
from equipoise.core.win_probability import difference_for, pair_noise, strengths, win_probability


@pytest.mark.parametrize("seed", range(40))
def test_the_least_are_the_first_of_a_stable_sort(seed: int) -> None:
    """Of equal ones those that stand first, along the last axis."""
    rng = np.random.default_rng(seed)
    costs = rng.integers(0, 4, (3, int(rng.integers(1, 9)))).astype(float)
    many = int(rng.integers(1, costs.shape[1] + 1))
    wanted = np.zeros_like(costs, dtype=bool)
    np.put_along_axis(wanted, np.argsort(costs, axis=1, kind="stable")[:, :many], values=True, axis=1)
    assert (least(costs, many) == wanted).all()
    assert (least(costs[0], many) == wanted[0]).all()


@pytest.mark.parametrize("values", [1, 3, 1000, 10**9])
@pytest.mark.parametrize("n", [0, 1, 2, 50, 3000])
def test_ascending_is_a_stable_sort(n: int, values: int) -> None:
    """Of equal numbers the one that stands first comes first, however many are equal; -0 is 0."""
    rng = np.random.default_rng(n)
    numbers = rng.integers(0, values, n) * rng.choice([-0.5, 0.5], n)
    order = ascending(numbers)
    assert order.dtype == np.int64
    assert order.tolist() == sorted(range(n), key=numbers.__getitem__)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a:1", ("a", 1)),
        ("[::1]:65535", ("::1", 65535)),
        ("127.0.0.1:80", ("127.0.0.1", 80)),
        ("a:00080", ("a", 80)),
    ],
)
def test_an_address_is_host_and_port(text: str, found: tuple[str, int]) -> None:
    """IPv6 without its brackets."""
    assert host_and_port(text, "--at", "a:1") == found


@pytest.mark.parametrize("text", ["a", ":1", "a:", "a:0", "a:65536", "a:-1", "a:1x", "a:¹", "a:000080", ""])
def test_other_texts_are_no_addresses(text: str) -> None:
    """Port 0 is one where the system may choose."""
    with pytest.raises(InputError, match=r"^--at must be HOST:PORT, as in a:1, got "):
        host_and_port(text, "--at", "a:1")
    assert host_and_port("a:0", "--at", "a:1", least=0) == ("a", 0)


def test_time_is_shared_among_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each may have its share of what is left; what is past leaves nothing."""
    now = [100.0]
    monkeypatch.setattr("equipoise.core.clock.time.monotonic", lambda: now[0])
    share = shares(12.0)
    assert [share(left).end for left in (3, 1, 0)] == [104.0, 112.0, 112.0]
    now[0] = 106.0
    assert share(3).end == 108.0
    now[0] = 200.0
    assert share(3).end == 200.0
    until = Deadline(210.0)
    assert (until.left(), until.part(0.25).end, until()) == (10.0, 202.5, False)
    now[0] = 210.0
    assert (until.left(), until()) == (0.0, True)
    now[0] = 211.0
    assert (until.left(), until.part(0.5).end) == (0.0, 211.0)
    assert (seconds_left(until), seconds_left(never)) == (0.0, math.inf)
    assert share_of(deadline(8.0), 0.5).end == 215.0  # type: ignore[attr-defined]


@pytest.mark.parametrize("seed", range(10))
def test_chances_follow_from_strengths_and_noise(seed: int) -> None:
    """Two teams by the logistic link, more by powers; only differences of players count for the zero."""
    rng = np.random.default_rng(seed)
    teams = 2 + seed % 3
    mu, variance = rng.normal(50.0, 20.0, (4, teams)), rng.random((4, teams)) * 30.0
    count, beta, zero = rng.integers(1, 6, (4, teams)).astype(float), 4.0, 7.5
    found = win_probability(mu, variance, count, beta, zero)
    for row in range(4):
        noise = math.sqrt((variance[row].sum() + beta**2 * count[row].sum()) * 2.0 / teams)
        assert pair_noise(variance, count, beta)[row] == pytest.approx(noise)
        power = [math.exp(1.702 * (mu[row, n] - zero * count[row, n]) / noise) for n in range(teams)]
        assert found[row] == pytest.approx([each / sum(power) for each in power])
        fewest = count[row].min()
        assert strengths(mu, count, zero)[row] == pytest.approx(mu[row] - zero * (count[row] - fewest))
    nobody = np.zeros((1, teams))
    assert pair_noise(nobody, nobody, beta)[0] == pytest.approx(beta * math.sqrt(2.0 / teams))


@pytest.mark.parametrize("distance", [0.0, 0.1, 0.4, 0.499])
def test_a_difference_gives_the_chance_it_is_for(distance: float) -> None:
    """The inverse of the link of two teams; nothing gives certainty."""
    gap = difference_for(distance, 3.0)
    assert 1.0 / (1.0 + math.exp(-1.702 * gap / 3.0)) == pytest.approx(0.5 + distance)
    assert difference_for(0.5, 3.0) == difference_for(0.7, 3.0) == math.inf


@pytest.mark.parametrize(
    ("minimum", "maximum", "target"), list(itertools.product((0, 3, 8), (None, 4, 8, 10), (0, 5, 8, 20)))
)
def test_bots_fill_teams_up_to_what_is_wanted_within_the_limits(
    minimum: int, maximum: int | None, target: int
) -> None:
    """The target, taken into the range, shared among teams and rounded up."""
    if maximum is not None and minimum > maximum:
        with pytest.raises(InputError, match=r"^bots.minimum must be at most the maximum, "):
            Bots(None, minimum, maximum, target)
        return
    wanted = max(target, minimum) if maximum is None else max(minimum, min(target, maximum))
    for teams in (2, 3):
        assert Bots(None, minimum, maximum, target).seats(teams) == math.ceil(wanted / teams)


def test_limits_of_bots_and_players_include_their_ends() -> None:
    """A weight to 1e15, numbers from 0, sides from 0 to 1, prices from 0 to 1."""
    for weight in (1e15, -1e15):
        assert Bots(weight).weight == weight
        with pytest.raises(InputError, match=r"^bots.weight must be from -1e15 to 1e15, got "):
            Bots(weight * 1.1)
    for wrong in (-1, 1_000_001):
        for name in ("minimum", "maximum", "target"):
            with pytest.raises(InputError, match=rf"^bots.{name} must be from 0 to 1000000, got {wrong}$"):
                Bots(None, **{name: wrong})
    assert Bots(None, 0, 1_000_000, 0).maximum == 1_000_000
    assert [Player("a", side=side).side for side in (0.0, 1.0)] == [0.0, 1.0]
    assert Player("a", prefer=[("b", 0.0), ("c", 1.0)]).prefer == (("b", 0.0), ("c", 1.0))  # type: ignore[arg-type]
    for more, message in (
        ({"side": 1.1}, "side of player 'a' must be from 0 to 1, got 1.1"),
        ({"team": -1}, "team of player 'a' must be at least 0, got -1"),
        ({"team": 0, "team_now": -1}, "team_now of player 'a' must be at least 0, got -1"),
        ({"avoid": {"b": 1.5}}, "avoid: the price of 'a' for 'b' must be from 0 to 1, got 1.5"),
        ({"rating": "x"}, "rating of 'a' must be a Rating, a number or None, got 'x'"),
        ({"rating": True}, "rating of 'a' must be a Rating, a number or None, got True"),
    ):
        with pytest.raises(InputError, match=f"^{message}$"):
            Player("a", **more)


def test_who_has_only_roles_is_rated_by_their_mean() -> None:
    """Of those roles that have a rating."""
    player = Player("a", roles=(("tank", Rating(10.0, 1.0)), ("heal", Rating(20.0, 3.0)), ("dps", None)))
    assert rated_by_roles(player).rating == Rating(15.0, 2.0)
    for same in (Player("a", 3.0, roles=player.roles), Player("b"), Player("c", roles=(("x", None),))):
        assert rated_by_roles(same) is same
