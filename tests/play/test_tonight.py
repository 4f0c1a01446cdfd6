"""An evening in browsers as a state machine: who may do what, what an undo takes back, what replays."""

from __future__ import annotations

import random
from itertools import chain
from typing import Any

import pytest

from equipoise.errors import InputError
from equipoise.play.tonight import (
    FOR_GUESTS,
    IN,
    MOST_NEW,
    MOST_PEOPLE,
    ORGANISER,
    OUT,
    TonightPhase,
    TonightRecord,
    after,
    question,
)

KINDS = (
    "claim", "status", "allow", "deny", "pick", "undo", "redo", "add", "party", "settings", "divide", "next",
    "swap", "lock", "sitout", "exactly", "draft", "play", "result", "substitute", "end",
)  # fmt: skip


class Group:
    """People at an evening, whose answers are made up: halves of who is here."""

    def __init__(self) -> None:
        self.record, self.count = TonightRecord(), 0
        self.do("open", title="Thursday", starts=0.0, expires=1e12, keys={}, teams=2, size=0, ruleset="")

    def step(self, kind: str, by: str = ORGANISER, device: str = "desk", **given: Any) -> dict[str, Any]:
        """Return a step with the answer that it needs."""
        self.count += 1
        made = {"id": f"s{self.count}", "type": kind, "by": by, "device": device, "at": float(self.count)}
        step = {**made, **given}
        asked = question(self.record.state, step)
        return step if asked is None else {**step, "answer": self.answer(asked)}

    def answer(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Return an answer."""
        here = list(asked.get("here", ()))
        teams = asked.get("teams") or [here[::2], here[1::2]]
        division = self.record.state.division
        ratings = {player: {"mu": 0.0, "sigma": 1.0} for player in chain(*teams)}
        return {
            "id": f"m{self.count}", "of": "" if division is None else division.id, "teams": teams,
            "chances": [0.5] * len(teams), "ratings": ratings, "beta": 1.0, "zero": 0.0,
            "others": [{"teams": each, "chances": [0.5, 0.5]} for each in (teams, teams[::-1])],
        }  # fmt: skip

    def do(self, kind: str, by: str = ORGANISER, device: str = "desk", **given: Any) -> dict[str, Any]:
        """Take a step."""
        step = self.step(kind, by, device, **given)
        self.record.take(step)
        return step

    def comes(self, name: str, device: str = "") -> None:
        """Let a guest tap a name."""
        self.do("claim", "guest", device or f"phone {name}", who=name, name=name, regular=True)

    @property
    def state(self) -> Any:
        """The state now."""
        return self.record.state


@pytest.fixture
def group() -> Group:
    """Return six people who are in."""
    group = Group()
    for name in ("ann", "bob", "cid", "dan", "eve", "fay"):
        group.comes(name)
    return group


def test_one_tap_means_in(group: Group) -> None:
    """Whoever takes a name is in, and answers for it from then on."""
    assert group.state.here == ("ann", "bob", "cid", "dan", "eve", "fay")
    group.do("status", "guest", "phone ann", who="ann", status=OUT)
    assert "ann" not in group.state.here
    with pytest.raises(InputError, match="another phone"):
        group.do("status", "guest", "phone bob", who="ann", status=IN)


@pytest.mark.parametrize("kind", sorted(set(KINDS) - FOR_GUESTS))
def test_a_guest_has_none_of_the_organisers_powers(group: Group, kind: str) -> None:
    """Whatever a guest sends, the step is refused and nothing has changed."""
    before = group.state
    given = {"who": "ann", "name": "ann", "of": "s2", "status": OUT, "teams": 2, "match": ""}
    with pytest.raises(InputError, match=r"organiser|nothing to do again"):
        group.record.take({"id": "x", "type": kind, "by": "guest", "device": "phone ann", "at": 1.0, **given})
    assert group.state == before


def test_a_seat_of_another_device_must_be_confirmed(group: Group) -> None:
    """The name stays where it is until its phone, or the organiser, lets it go; then it moves alone."""
    group.comes("ann", "new phone")
    assert group.state.people["ann"].seat == "phone ann"
    with pytest.raises(InputError, match="another phone"):
        group.do("allow", "guest", "new phone", who="ann")
    group.do("allow", "guest", "phone ann", who="ann")
    assert group.state.people["ann"].seat == "new phone"
    group.comes("ann", "third phone")
    group.do("deny", who="ann")
    assert (group.state.people["ann"].seat, group.state.people["ann"].asked) == ("new phone", "")


def test_a_phone_brings_few_new_names(group: Group) -> None:
    """Somebody with the guests' link cannot fill the evening; nobody can without end."""
    for n in range(MOST_NEW):
        group.do("claim", "guest", "flood", who=f"n{n}", name=f"n{n}")
    with pytest.raises(InputError, match="enough new names"):
        group.do("claim", "guest", "flood", who="one more", name="one more")
    people = [{"id": f"p{n}", "name": f"p{n}"} for n in range(MOST_PEOPLE)]
    with pytest.raises(InputError, match="room for"):
        group.do("add", people=people)


def test_an_undo_takes_back_one_step_and_no_other(group: Group) -> None:
    """Who came after the teams is there when the teams are taken back, and again when they are made again."""
    made = group.do("divide")
    group.comes("gus")
    assert group.state.division.team_of("gus") is not None
    group.do("undo", of=made["id"])
    assert (group.state.phase, group.state.division) == (TonightPhase.GATHERING, None)
    assert "gus" in group.state.here
    group.do("redo", of=made["id"])
    assert group.state.phase is TonightPhase.TEAMS
    with pytest.raises(InputError, match=r"undone already|nothing to do again"):
        group.do("redo", of=made["id"])


def test_the_organisers_steps_are_taken_back_in_order(group: Group) -> None:
    """An undo of an older step is refused, so that no game stands without its teams."""
    made = group.do("divide")
    group.do("play", match=group.state.division.id)
    with pytest.raises(InputError, match="meanwhile"):
        group.do("undo", of=made["id"])
    ended = group.do("result", match=group.state.division.id, ranks=[1, 2])
    assert (group.state.phase, len(group.state.results)) == (TonightPhase.SAVED, 1)
    group.do("undo", of=ended["id"])
    assert (group.state.phase, group.state.results) == (TonightPhase.PLAYING, ())


def test_a_tap_for_other_teams_is_refused(group: Group) -> None:
    """A phone that slept while the teams changed swaps nobody in the new ones, and ends no other round."""
    group.do("divide")
    old = group.state.division
    group.do("divide")
    for kind in ("swap", "play", "result", "next"):
        with pytest.raises(InputError, match="changed meanwhile"):
            group.do(kind, match=old.id, one=old.teams[0][0], other=old.teams[1][0], ranks=[1, 2])
    with pytest.raises(InputError, match="round is over"):
        group.do("divide", round=7)


def test_a_swap_by_hand_is_told_from_the_best(group: Group) -> None:
    """Two change places, it is said to be by hand, and stepping on leads back to what was found."""
    group.do("divide")
    division = group.state.division
    one, other = division.teams[0][0], division.teams[1][0]
    group.do("swap", match=division.id, one=one, other=other)
    assert (group.state.division.team_of(one), group.state.division.team_of(other)) == (1, 0)
    assert group.state.division.by_hand
    group.do("lock", match=division.id, who=one)
    with pytest.raises(InputError, match="locked"):
        group.do("swap", match=division.id, one=one, other=other)
    group.do("next", match=division.id)
    assert group.state.division.teams == division.teams
    assert not group.state.division.by_hand


def test_captains_pick_in_a_row_and_back(group: Group) -> None:
    """The captain whose turn it is picks, or the organiser; parties come along; the last goes by itself."""
    group.do("party", who=["cid", "dan"])
    group.do("draft", captains=["ann", "bob"])
    assert group.state.turn == 0
    with pytest.raises(InputError, match="ann's turn"):
        group.do("pick", "guest", "phone bob", who="cid")
    group.do("pick", "guest", "phone ann", who="cid")
    assert group.state.division.teams == (("ann", "cid", "dan"), ("bob",))
    assert group.state.turn == 1
    group.do("pick", "guest", "phone bob", who="eve")
    assert group.state.phase is TonightPhase.TEAMS
    assert group.state.division.teams == (("ann", "cid", "dan"), ("bob", "eve", "fay"))
    assert group.state.division.picks[0] == ("ann", "cid")


def test_a_substitute_takes_the_place(group: Group) -> None:
    """Who leaves in the middle of a game is out, and the other one plays in the same team."""
    group.do("divide")
    group.do("play")
    group.comes("gus")
    assert group.state.division.team_of("gus") is None
    division = group.state.division
    group.do("substitute", match=division.id, old="ann", new="gus", leaves=True)
    assert group.state.division.team_of("gus") == division.team_of("ann")
    assert "ann" not in group.state.here


@pytest.mark.parametrize("seed", range(12))
def test_steps_replay_to_the_same_state(seed: int) -> None:
    """Whatever is tapped, the steps that were taken give the same state again, undos and all."""
    rng, group = random.Random(seed), Group()  # noqa: S311
    names = [f"p{n}" for n in range(8)]
    taken: list[dict[str, Any]] = list(group.record.steps)  # type: ignore[arg-type]
    for _ in range(150):
        division, kind = group.state.division, rng.choice(KINDS[:-1])
        steps = [each["id"] for each in group.record.steps]
        given = {
            **{key: rng.choice(names) for key in ("who", "one", "other", "old", "new")},
            "status": rng.choice((IN, OUT, "maybe")), "of": rng.choice(steps[-4:]),
            "name": "x", "teams": 2, "captains": names[:2], "ranks": [1, 2],
            "people": [{"id": "p9", "name": "p9"}],
        }  # fmt: skip
        given["name"] = given["who"]
        if kind == "party":
            given["who"] = rng.sample(names, 2)
        if kind == "exactly":
            given["teams"] = [names[:3], names[3:6]]
        by = rng.choice((ORGANISER, "guest"))
        try:
            step = group.step(kind, by, rng.choice(("d1", "d2", "d3")), **given)
            group.record.take(step)
        except (InputError, AttributeError):
            continue
        taken.append(step)
        here = group.state.here
        if division is not None and group.state.division is not None:
            playing = list(chain(*group.state.division.teams))
            assert len(set(playing)) == len(playing)
        assert set(here) <= group.state.people.keys()
    again = TonightRecord()
    for step in taken:
        again.take(step)
    assert again.state == group.state
    assert again.undone == group.record.undone


def test_an_unknown_step_is_refused_with_the_known_ones(group: Group) -> None:
    """The message says what there is."""
    with pytest.raises(InputError, match="a step must be one of open, keys, claim"):
        after(group.state, {"type": "dance", "by": ORGANISER, "device": "", "id": "x"})
