"""Hypothesis strategies: rosters with preferences, with zero weights, ties and equal players in plenty."""

from __future__ import annotations

from hypothesis import strategies as st
from tests.play.nights import Night

weights = st.one_of(
    st.integers(0, 4).map(float),
    st.integers(0, 3000).map(float),
    st.floats(0.0, 100.0, allow_subnormal=False).map(lambda x: round(x, 3)),
)


@st.composite
def cases(draw: st.DrawFn, most: int = 8) -> Night:
    """Return a roster of at most so many players, with any preferences that may or may not be met."""
    n = draw(st.integers(2, most))
    player = st.integers(0, n - 1)
    two = st.lists(player, min_size=2, max_size=2, unique=True).map(tuple)
    bots = draw(st.booleans())
    split = draw(st.integers(1, n - 1))
    return Night(
        weights=tuple(draw(st.lists(weights, min_size=n, max_size=n))),
        sigmas=tuple(draw(st.lists(st.sampled_from([0.0, 0.0, 1.5, 4.0]), min_size=n, max_size=n))),
        sides=tuple(draw(st.lists(st.sampled_from([0.5, 0.5, 0.0, 1.0]), min_size=n, max_size=n))),
        parties=tuple(
            tuple(party)
            for party in draw(st.lists(st.lists(player, min_size=2, max_size=3, unique=True), max_size=1))
        ),
        apart=tuple(draw(st.lists(two, max_size=2))),
        fixed=tuple(draw(st.lists(st.tuples(player, st.integers(0, 1)), max_size=1))),
        sizes=draw(st.sampled_from([None, None, (split, n - split)])) if not bots else None,
        max_difference=draw(st.sampled_from([None, None, 0, 1, 2, n])),
        bot_weight=draw(st.sampled_from([0.0, 20.0, 3.5])) if bots else None,
        seats=draw(st.integers(0, n)) if bots else 0,
    )
