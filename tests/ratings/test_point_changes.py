"""What a result changed: what is shown adds up, and places are those of the whole table."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from equipoise.ratings.point_changes import point_changes, points

weights = st.dictionaries(st.sampled_from("abcdef"), st.floats(0.0, 100.0), min_size=6, max_size=6)


@given(weights, weights)
def test_changes_add_up_to_the_points_shown_and_places_to_the_table(
    before: dict[str, float], after: dict[str, float]
) -> None:
    """Against a table sorted by points; undone, all is the other way round."""
    found = point_changes("abcdef", before, after)
    for each in found:
        assert each.points == points(after[each.id]) == points(before[each.id]) + each.change
        table = sorted(map(points, after.values()), reverse=True)
        was = sorted(map(points, before.values()), reverse=True)
        assert each.place == 1 + table.index(each.points)
        assert each.up == 1 + was.index(points(before[each.id])) - each.place
    assert [each.change for each in found] == sorted((each.change for each in found), reverse=True)
    back = {each.id: each for each in point_changes("abcdef", after, before)}
    assert all((back[each.id].change, back[each.id].up) == (-each.change, -each.up) for each in found)
