"""Xonotic: an event log of the Nexuiz family, with matches that have dates in their ids."""

from __future__ import annotations

from tests.games.samples import XONOTIC, real

from equipoise.core.match import Match, Unfinished
from equipoise.core.rulesets import ruleset_text, unknown_mutators
from equipoise.games.laws import parsed
from equipoise.games.log_reader import guess_game
from equipoise.games.xonotic.reader import GAME


def test_a_game_with_a_capture() -> None:
    """The ruleset is of Xonotic, names lose their colours, and the date is that of the id."""
    (match,) = parsed(GAME, XONOTIC.encode())
    assert isinstance(match, Match)
    assert ruleset_text(match.ruleset) == "xonotic/ctf+instagib"
    assert (match.began, match.dated, match.map) == (1482099669.0, True, "stormkeep")
    assert dict(match.names)["name:Ann"] == "^1Ann"
    capture, result = match.contests
    assert capture.ranks == (0.0, 1.0)
    assert [[player for player, _ in team] for team in result.teams] == [
        ["name:Ann", "bot:Eureka:?"], ["name:Bob", "bot:Hellfire:?"],
    ]  # fmt: skip
    assert result.scores == (1.0, 0.0)


def test_it_is_told_from_nexuiz() -> None:
    """By the ids of its matches."""
    assert guess_game(XONOTIC.encode()).name == "xonotic"
    assert guess_game(real("nexuiz00000002")).name == "nexuiz"
    assert guess_game(real("nexuiz_tdm_console_eventlog")).name == "nexuiz"


def test_two_games_of_one_map_are_two_matches() -> None:
    """Their ids differ as the whole texts of the matches' ids do."""
    one, other = parsed(GAME, (XONOTIC + XONOTIC.replace("871995", "871996")).encode())
    assert isinstance(one, Match)
    assert isinstance(other, Match)
    assert one.id != other.id


def test_what_has_no_opponents_is_reported() -> None:
    """Races and invasions."""
    for kind, reason in (("cts", "race"), ("inv", "monsters")):
        (found,) = parsed(GAME, XONOTIC.replace(":gamestart:ctf", f":gamestart:{kind}").encode())
        assert isinstance(found, Unfinished)
        assert reason in found.reason


def test_an_unknown_mutator_is_reported() -> None:
    """It counts as changing play."""
    (match,) = parsed(GAME, XONOTIC.replace("damagetext", "moonwalk").encode())
    assert isinstance(match, Match)
    assert unknown_mutators(GAME.rules(), match.ruleset) == ["moonwalk"]
