"""The laws of archives as a function, and matches to try them on; for those who write a store of their own.

``check_archive`` raises AssertionError with the law that is broken, as the functions of
:mod:`equipoise.teams.laws` do for other parts.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from equipoise.core.match import Contest, Match
from equipoise.core.player import is_bot
from equipoise.ratings.laws import random_contest
from equipoise.ratings.replay import in_order, replay

#: Ids and names that files and servers have been known to choke on.
HOSTILE = (
    "\0",
    "\ud800",
    "'; DROP TABLE match; --",
    "^1Ann",
    "\u202eAnn",
    "<b>",
    "a\tb\n",
    "\\N",
    "\\.",
    "é",
)


def random_match(rng: np.random.Generator, n: int) -> Match:
    """Return a match of any kind there is, number ``n`` of its log; some end at the same time."""
    at = float(rng.integers(0, 40)) * 900.0
    contests = tuple(_with_parties(rng, random_contest(rng), at) for _ in range(int(rng.integers(1, 4))))
    players = dict.fromkeys(player for contest in contests for team in contest.teams for player, _ in team)
    names = [(player, f"{rng.choice(HOSTILE)}{player}") for player in players if rng.random() < 0.5]
    return Match(
        contests,
        began=None if rng.random() < 0.2 else at - 300.0,
        id=f"{rng.choice(HOSTILE)}{n}",
        roster=(*players, rng.choice(HOSTILE) + "watcher"),
        names=tuple(names),
        map=str(rng.choice(HOSTILE)),
        server=str(rng.choice(HOSTILE)),
        picks=tuple(zip(list(players), list(players)[1:], strict=False)) if n % 3 == 0 else (),
    )


def _with_parties(rng: np.random.Generator, contest: Contest, at: float) -> Contest:
    """Return a contest at a time, some with parties and people who left."""
    parties = tuple(tuple(player for player, _ in team[:2]) for team in contest.teams if len(team) > 1)
    left = (contest.teams[0][0][0],)
    return replace(
        contest, at=at, parties=parties if rng.random() < 0.3 else (), left=left if rng.random() < 0.3 else ()
    )


def check_archive(make: Callable[[], Any], rng: np.random.Generator) -> None:
    """Hold an archive to the laws of its kind, on one random history.

    Whatever the order and however often matches come, each is kept once, as it was, and a different one under
    the same id is refused; the digest depends on the
    set alone; ratings brought up to date after each batch are bit for bit those of a rebuild; what was undone
    or merged can be taken back; who is forgotten leaves no trace and does not come back; and a copy of the
    content is the same archive.

    Parameters
    ----------
    make : callable
        Returns a new, empty archive (see :func:`equipoise.archive.archive.open_archive`).
    rng : numpy.random.Generator
        Where the history comes from.
    """
    matches = [random_match(rng, n) for n in range(int(rng.integers(1, 16)))]
    with make() as archive, make() as other:
        _check_keeping(archive, matches, rng)
        other.record(reversed([*matches, *matches]))
        other.update_ratings()
        assert archive.digest() == other.digest(), "the digest depends on the set of matches alone"
        assert archive.standing().state == other.standing().state, "and so do the ratings"
        _check_conflicts(other, matches[0])
        _check_corrections(archive, matches)
        _check_forgetting(archive, matches, _a_person(matches))
    with make() as archive, make() as copy:
        archive.record(matches)
        archive.forget(_a_person(matches[::-1]))
        archive.undo(matches[0].id)
        assert copy.fill(archive.contents()) == len(matches), "a copy has every match"
        archive.update_ratings()
        copy.update_ratings()
        assert copy.digest() == archive.digest(), "a copy is the same archive"
        assert copy.standing().state == archive.standing().state, "with the same ratings"
        assert copy.record(matches).duplicates == len(matches), "and knows what it holds"


def _a_person(matches: list[Match]) -> str:
    """Return somebody who has played, or else who has watched."""
    return next(player for match in matches for player in match.roster if not is_bot(player))


def _check_keeping(archive: Any, matches: list[Match], rng: np.random.Generator) -> None:
    """Give an archive matches in batches of any order, some of them again."""
    order = [*rng.permutation(len(matches)).tolist(), *rng.integers(0, len(matches), 3).tolist()]
    revision = archive.revision()
    seen: set[int] = set()
    while order:
        batch, order = order[: (size := int(rng.integers(1, 5)))], order[size:]
        recorded = archive.record(matches[n] for n in batch)
        assert recorded.new == len(set(batch) - seen), "a match is new once"
        assert recorded.new + recorded.duplicates == len(batch), "every match is reported, and no conflict"
        seen |= set(batch)
        archive.update_ratings()
        assert archive.revision() > revision or not recorded.new, "the revision grows"
        revision = archive.revision()
        _check_standing(archive)
    assert list(archive.matches()) == in_order(matches), "matches come back as they were, in replay order"


def _check_conflicts(archive: Any, match: Match) -> None:
    """Give an archive a different match under an id that it has, or that comes with another one."""
    different = replace(match, map=f"another {match.map}")
    before = archive.digest()
    recorded = archive.record([different])
    assert (recorded.new, recorded.duplicates) == (0, 0), "a different match is neither new nor known"
    assert recorded.conflicts == (match.id,), "it is reported"
    assert archive.digest() == before, "the first one stays"
    both = [replace(each, id="twice") for each in (match, different)]
    assert archive.record(both).conflicts == ("twice",), "also where both come at once"
    assert both[0] in archive.matches(), "the first one is kept"


def _check_standing(archive: Any) -> None:
    """Compare kept ratings with a replay, in the order of the entries too."""
    standing = archive.standing()
    whole = replay(standing.model, archive.matches())
    assert standing.current, "up to date"
    assert not archive.needs_rebuild, "nothing to rebuild"
    assert repr(standing.state) == repr(whole), "incremental is bit for bit a rebuild"
    assert set(standing.names) <= {player for match in archive.matches() for player, _ in match.names}


def _check_corrections(archive: Any, matches: list[Match]) -> None:
    before = archive.digest()
    archive.undo(matches[0].id)
    assert archive.needs_rebuild, "a changed past is to be rebuilt from"
    archive.update_ratings()
    _check_standing(archive)
    assert archive.digest() != before, "a match that was undone is missing"
    assert archive.record(matches).duplicates == len(matches), "and does not come back by itself"
    archive.undo(matches[0].id, back=True)
    assert archive.digest() == before, "an undone match can be brought back"
    watcher = next(player for player in matches[0].roster if player.endswith("watcher"))
    player = matches[0].contests[0].teams[0][0][0]
    archive.merge(player, watcher)
    archive.update_ratings()
    _check_standing(archive)
    archive.merge(player, watcher, back=True)
    assert archive.digest() == before, "a merge can be taken back"
    archive.update_ratings()


def _check_forgetting(archive: Any, matches: list[Match], player: str) -> None:
    before = archive.standing()
    stand_in = archive.forget(player)
    digest = archive.digest()
    kept = [*archive.matches(), archive.standing(), *archive.contents()]
    traces = (repr(player), json.dumps(player))
    assert not any(each in repr(one) for one in kept for each in traces), "nothing is left"
    assert archive.record(matches).duplicates == len(matches), "a log that is read again changes nothing"
    again = replace(matches[0], id="another match")
    assert archive.record([again]).new == 1
    assert player not in next(m for m in archive.matches() if m.id == again.id).roster, "nor does a new one"
    archive.undo(again.id)
    archive.update_ratings()
    after = archive.standing()
    for ruleset in before.rulesets:
        for other in before.model.players(before.state):
            known = stand_in if other == player else other
            assert before.model.rating(before.state, other, ruleset) == after.model.rating(
                after.state, known, ruleset
            ), "everybody's rating stays"
    assert digest != archive.digest(), "the other match is kept, undone"
