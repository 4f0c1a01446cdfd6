"""Every registered rating model keeps the laws of its kind."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from equipoise import Contest, Elo, GaussianFilter, InputError, Ladder, Ruleset, curves, evaluate, replay
from equipoise.core.match import Statistics
from equipoise.core.registry import MODELS, resolve
from equipoise.ratings.laws import check_model, in_step
from equipoise.ratings.rating_history import moved

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("name", MODELS)
def test_every_model_keeps_the_laws(name: str, seed: int) -> None:
    """See :func:`equipoise.ratings.laws.check_model`."""
    check_model(resolve("model", MODELS, name)(), np.random.default_rng(seed))


def strange(rng: np.random.Generator) -> list[Contest]:
    """Return contests at the ends of all that is allowed."""
    ends = (-1e15, -1.0, 0.0, 1e-300, 1.0, 1e15)
    contests = []
    for _ in range(40):
        k = int(rng.choice([2, 2, 3, 8]))
        ids = [f"bot:{n}:1" if n % 5 == 0 else f"p{n}" for n in rng.permutation(24)[: 2 * k]]
        shares = rng.choice([1e-6, 1e-3, 1.0], 2 * k).tolist()
        members = list(zip(ids, shares, strict=True))
        reported = [
            Statistics(player, kills=float(abs(rng.choice(ends))), deaths=float(abs(rng.choice(ends))))
            if rng.random() < 0.5
            else Statistics(player, score=float(rng.choice(ends)))
            for player in ids
        ]
        ranks = rng.integers(1, 4, k).tolist()
        contests.append(
            Contest(
                Ruleset("g", "ctf", ("x",) if rng.random() < 0.5 else ()),
                [members[2 * n : 2 * n + 2] for n in range(k)],
                ranks,
                weight=float(rng.choice([5e-324, 1e-15, 1.0, 1000.0])),
                at=float(rng.choice(ends)),
                scores=in_step(rng.choice(ends, k).tolist(), ranks),
                statistics=reported,
                parties=[ids[:2]],
                left=ids[:1],
            )
        )
    return contests


EXTREME = {
    **{name: resolve("model", MODELS, name)() for name in MODELS},
    "experience": GaussianFilter(experience_sigma=0.5),
    "wide": GaussianFilter(sigma=1e6, beta=1e-6, margin_slope=1e6, statistic_noise=1e-6, caution=1e-6),
    "narrow": GaussianFilter(sigma=1e-6, beta=1e6, margin_noise=1e6, half_life=1e-6, outcome=1e6),
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", EXTREME)
def test_numbers_stay_numbers_at_the_ends_of_what_is_allowed(name: str, seed: int) -> None:
    """Chances are chances and ratings finite after the least and largest of everything."""
    model = EXTREME[name]
    state, reported = model.run(model.initial(), strange(np.random.default_rng(seed)))
    for chances in reported:
        assert all(0.0 <= chance <= 1.0 for chance in chances)
        assert math.isclose(sum(chances), 1.0, abs_tol=1e-9)
    for player in model.players(state):
        assert math.isfinite(model.rating(state, player, Ruleset("g", "ctf", ("x",))).mu)


def test_a_model_that_lacks_a_method_is_reported_which() -> None:
    """Wherever a model is taken; a class in the place of its object too."""

    class Half:
        def initial(self) -> dict[str, float]:
            return {}

    duel = Contest(Ruleset(), (["a"], ["b"]), (1, 2))
    uses: tuple[Any, ...] = (
        lambda model: replay(model, []), Ladder, lambda model: evaluate(model, []),
        lambda model: curves(model, []), lambda model: moved(model, {}, duel, "a"), check_model,
    )  # fmt: skip
    for use in uses:
        with pytest.raises(
            InputError, match="model: Half has no update, run, win_probability, rating, players"
        ):
            use(Half())
        with pytest.raises(InputError, match="model: Elo is a class"):
            use(Elo)


@pytest.mark.parametrize("name", MODELS)
def test_a_weight_of_ten_is_ten_contests(name: str) -> None:
    """In every model; one of next to nothing moves next to nothing, and the heaviest does not run away."""
    model = resolve("model", MODELS, name)()

    def mu(state: Any) -> float:
        return model.rating(state, "a").mu

    duel = Contest(Ruleset(), (["a", "b"], ["c", ("d", 0.5)]), (1, 2))
    once, ten = (model.run(model.initial(), [duel] * times)[0] for times in (1, 10))
    heavy, light, heaviest = (
        model.update(model.initial(), replace(duel, weight=weight)) for weight in (10.0, 1e-9, 1000.0)
    )
    new = mu(model.initial())
    assert mu(heavy) == pytest.approx(mu(ten), rel=1e-9)
    assert mu(light) - new == pytest.approx(0.0, abs=1e-6 * (mu(once) - new))
    assert mu(heaviest) - new < 50.0 * (mu(once) - new)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("scores", [(), (9.0, 0.0)])
def test_the_more_a_contest_weighs_the_more_it_moves(name: str, scores: tuple[float, ...]) -> None:
    """Also just above a whole number."""
    model = resolve("model", MODELS, name)()
    duel = Contest(Ruleset(), (["a", "b"], ["c", "d"]), (1, 2), scores=scores)
    weights = (0.01, 0.3, 0.9, 1.0, 1.01, 1.1, 1.5, 2.0, 2.01, 3.0)
    states = [model.update(model.initial(), replace(duel, weight=weight)) for weight in weights]
    skills = [model.rating(state, "a").mu for state in states]
    assert skills == sorted(skills)
    assert len(set(skills)) == len(skills)
