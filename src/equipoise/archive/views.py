"""What analysts read with SQL: the views ``games``, ``appearances`` and ``ratings``, with plain columns.

Games and appearances are read from the records of matches as they were reported, with merged people under
one id; the step of the schema that makes the views has their text.  Ratings need the model, so that learning
writes them as a table: of each player in each ruleset, as they were after the player's last game there.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

import sqlalchemy as sa

from equipoise.archive.row_codec import MatchRow
from equipoise.archive.standing import PLAYED, Known
from equipoise.archive.tables import RATING
from equipoise.core.match import Ruleset
from equipoise.core.rulesets import GENERAL, ruleset_text
from equipoise.ratings.display_scale import Scale, scale_of
from equipoise.ratings.model import RatingModel, State

#: The part of the derived rows that has who played what.
GAMES = "known.games"

#: Player, ruleset, name, game, game type, mutators, mu, sigma, weight from 0 to 100, games.
RatingRow = tuple[str, str, str, str, str, str, float, float, float, int]


def plain(text: str) -> str:
    r"""Return a text that every database takes: NUL and halves of characters are U+FFFD, as in the views.

    Examples
    --------
    >>> plain("a\ud800b\0\ud83d\ude00") == "a\ufffdb\ufffd\U0001f600"
    True
    """
    return text.replace("\0", "\ufffd").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def rating_rows(model: RatingModel, state: State, known: Known, before: Known | None) -> Iterator[RatingRow]:
    """Go through the rows of those who have played since something else was known, and of each in general."""
    played = {} if before is None else before.games
    pairs: dict[tuple[str, Ruleset], int] = {}
    for (player, ruleset), numbers in known.games.items():
        if played.get((player, ruleset)) != numbers:
            pairs[player, ruleset] = int(numbers[PLAYED])
    if not pairs:
        return
    people = {player for player, _ in pairs}
    totals = dict.fromkeys(people, 0)
    for (player, _), numbers in known.games.items():
        if player in people:
            totals[player] += int(numbers[PLAYED])
    pairs |= {(player, Ruleset()): total for player, total in totals.items()}
    names, scales = known.last_names(), dict[Ruleset, Scale]()
    written = set[tuple[str, str]]()  # ids that differ in what no database takes alone have one row
    for (player, ruleset), games in pairs.items():
        key = (plain(player), plain(ruleset_text(ruleset)))
        if key in written:
            continue
        written.add(key)
        if ruleset not in scales:
            scales[ruleset] = scale_of(model, state, ruleset)
        rating = model.rating(state, player, ruleset)
        yield (
            *key, plain(names.get(player, "")), plain(ruleset.game),
            plain(ruleset.game_type), plain(",".join(ruleset.mutators)), float(rating.mu),
            float(rating.sigma), float(scales[ruleset].shown(rating.mu)), games,
        )  # fmt: skip


def take_off(connection: sa.Connection, gone: Iterable[MatchRow]) -> None:
    """Delete the rows of what nobody plays now."""
    for each in gone:
        if each.part != GAMES:
            continue
        player, ruleset = json.loads(each.key)
        text = ruleset_text(Ruleset(ruleset["game"], ruleset["type"], tuple(ruleset["mutators"])))
        theirs = RATING.c.player == plain(player)
        connection.execute(sa.delete(RATING).where(theirs, RATING.c.ruleset == plain(text)))
        others = sa.select(RATING.c.player).where(theirs, RATING.c.ruleset != GENERAL).limit(1)
        if connection.execute(others).first() is None:
            connection.execute(sa.delete(RATING).where(theirs))
