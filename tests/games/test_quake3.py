"""The Quake 3 family: what counts as a game, who played, and which contests it was."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from tests.games.samples import CTF, TDM, real

from equipoise.core.match import Match, Skipped, Statistics, Unfinished
from equipoise.core.rulesets import ruleset_text, unknown_mutators
from equipoise.games.laws import parsed
from equipoise.games.quake3.reader import GAME
from equipoise.games.quake3.rulesets import RULES
from equipoise.ratings.lab.simulation import rank_correlation
from equipoise.ratings.models.gaussian_filter.model import GaussianFilter
from equipoise.ratings.replay import replay

GUID = "0123456789ABCDEF0123456789ABCDE"

INIT = r"InitGame: \gamename\baseoa\g_gametype\{}\mapname\oa_dm1\g_timestamp\2026-01-02 03:04:05{}"


def info(slot: int, name: str, team: int, *, skill: str = "", guid: str = "") -> str:
    """Return the line of a client."""
    bot = f"\\skill\\ {skill}" if skill else ""
    head = f"ClientUserinfoChanged: {slot} n\\{name}\\t\\{team}\\model\\x\\hc\\100"
    return f"{head}{bot}\\tt\\0\\tl\\0\\id\\{guid}"


def human(slot: int, team: int, name: str = "") -> list[str]:
    """Return how a person enters."""
    return [info(slot, name or f"P{slot}", team, guid=f"{GUID}{slot}"), f"ClientBegin: {slot}"]


def log(*lines: str | tuple[int, str], timed: bool = True) -> bytes:
    """Return a log; a pair has the second at which a line stands, the others stand at the same."""
    now, out = 0, []
    for line in lines:
        now, text = line if isinstance(line, tuple) else (now, line)
        out.append(f"{now // 60:3}:{now % 60:02} {text}\n" if timed else f"{text}\n")
    return "".join(out).encode("latin-1")


def only(content: bytes) -> Match:
    """Return the one match of a log without anything else."""
    (match,) = parsed(GAME, content)
    assert isinstance(match, Match)
    return match


def tdm(*lines: str | tuple[int, str], scores: str = "red:3  blue:1", timed: bool = True) -> bytes:
    """Return the log of a team game of two against two, who stay."""
    people = [line for slot, team in ((0, 1), (1, 1), (2, 2), (3, 2)) for line in human(slot, team)]
    start = [(0, INIT.format(3, "")), *people]
    return log(*start, *lines, (100, "Exit: Timelimit hit."), scores, timed=timed)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "matches", "unfinished", "contests"),
    [
        (TDM, 80, 0, 80),
        (CTF, 44, 11, 44 + 117),
        ("tdm_oa_dm5_mut_inst_g_instantgib_1", 8, 0, 8),
        ("tdm_oa_dm5_mut_lowg_g_gravity_200", 8, 0, 8),
        ("tdm_oa_dm5_mut_rock_g_rockets_1", 8, 0, 8),
        ("x_elim", 9, 1, 64),
        ("x_ctfelim", 2, 0, 10),
    ],
)
@pytest.mark.parametrize("timed", [True, False])
def test_real_logs_have_as_many_games_as_were_played(
    name: str, matches: int, unfinished: int, contests: int, timed: bool
) -> None:
    """With times, and without as a console prints it; no line of them is damaged."""
    content = real(name)
    if not timed:
        content = b"".join(line[7:] for line in content.splitlines(keepends=True))
    found = parsed(GAME, content)
    games = [one for one in found if isinstance(one, Match)]
    assert (len(games), sum(isinstance(one, Unfinished) for one in found)) == (matches, unfinished)
    assert not [one for one in found if isinstance(one, Skipped)]
    assert sum(len(game.contests) for game in games) == contests
    assert all(a.ended < b.ended for a, b in pairwise(games) if a.ended and b.ended)


def correlation(matches: list[Match]) -> float:
    """Return the rank correlation of ratings with the skill that the bots were made with."""
    model = GaussianFilter()
    state = replay(model, matches)
    players = list(model.players(state))
    rated = [model.rating(state, player, matches[0].ruleset).mu for player in players]
    return rank_correlation(np.array(rated), np.array([float(player[-1]) for player in players]))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "games", "least"), [(TDM, 80, 0.95), (TDM, 10, 0.80), (CTF, 44, 0.90)])
def test_ratings_find_the_true_skill(name: str, games: int, least: float) -> None:
    """The default model ranks the bots as they were made."""
    matches = [one for one in parsed(GAME, real(name)) if isinstance(one, Match)]
    assert correlation(matches[:games]) >= least


def test_a_game_counts_from_its_beginning_to_a_final_score() -> None:
    """Without an end or without a score it is unfinished; a cut score is none."""
    whole = tdm()
    assert only(whole).contests[0].scores == (3.0, 1.0)
    for cut in (whole[: whole.index(b"Exit")], whole[: whole.index(b"red")], whole[:-1], whole[:-2]):
        (unfinished,) = parsed(GAME, cut)
        assert isinstance(unfinished, Unfinished)
        assert unfinished.where == "log, line 1"
    early = tdm((50, "red:3  blue:1"))
    assert [type(one) for one in parsed(GAME, early[: early.index(b"Exit")])] == [Unfinished]
    assert [type(one) for one in parsed(GAME, tdm(scores="ShutdownGame:"))] == [Unfinished]


def test_what_follows_the_score_changes_nothing() -> None:
    """Scores of players, those who leave, and whether the server shuts down."""
    rest = log((100, "score: 3  ping: 0  client: 0 P0"), "ClientDisconnect: 0", (116, "ShutdownGame:"))
    assert only(tdm() + rest) == only(tdm())


def test_a_warm_up_is_another_game_that_does_not_count() -> None:
    """The second beginning starts from nothing; level time runs on."""
    warm_up = log(
        (0, INIT.format(3, "")), "Warmup:", *human(0, 1), *human(2, 2), (9, "Kill: 0 2 1: a killed b by X")
    )
    first, second = parsed(GAME, warm_up + log((20, "ShutdownGame:")) + tdm())
    assert isinstance(first, Unfinished)
    assert first.reason == "it was a warm-up"
    assert isinstance(second, Match)
    assert second == only(tdm())


def test_kills_and_deaths_are_reported_and_a_change_of_teams_is_no_death() -> None:
    """Team mates' kills count for nobody; lava and one's own rockets are deaths."""
    match = only(
        tdm(
            (10, "Kill: 0 2 1: P0 killed P2 by MOD_RAILGUN"), "Kill: 0 1 1: P0 killed P1 by MOD_RAILGUN",
            "Kill: 1022 3 16: <world> killed P3 by MOD_LAVA",
            "Kill: 3 3 7: P3 killed P3 by MOD_ROCKET_SPLASH",
            (40, "Kill: 1 1 20: P1 killed P1 by MOD_SUICIDE"), *human(1, 2, "P1"),
            (80, "Kill: 2 2 20: P2 killed P2 by MOD_SUICIDE"), (90, info(2, "P2", 2, guid=f"{GUID}2")),
        )
    )  # fmt: skip
    counts = {figures.player[-1]: (figures.kills, figures.deaths) for figures in match.contests[0].statistics}
    assert counts == {"0": (1, 0), "1": (0, 0), "2": (0, 2), "3": (0, 2)}
    assert [[(player[-1], share) for player, share in team] for team in match.contests[0].teams] == [
        [("0", 1.0)], [("1", 0.6), ("2", 1.0), ("3", 1.0)],
    ]  # fmt: skip


def test_presence_is_a_share_and_spectators_are_left_out() -> None:
    """The time begins with the first opponents; whoever comes late or leaves counts by what is left."""
    match = only(
        log(
            (0, INIT.format(3, "")), *human(0, 1), (20, human(1, 2)[0]), "ClientBegin: 1", *human(2, 3),
            (40, info(3, "late", 1, guid=f"{GUID}3")), "ClientBegin: 3", (70, "ClientDisconnect: 1"),
            (80, info(4, "P4", 2, guid=f"{GUID}4")), "ClientBegin: 4", (120, "Exit: Timelimit hit."),
            "red:1  blue:2",
        )
    )  # fmt: skip
    assert [[(player[-1], share) for player, share in team] for team in match.contests[0].teams] == [
        [("0", 1.0), ("3", 0.8)], [("1", 0.5), ("4", 0.4)],
    ]  # fmt: skip
    assert (f"{GUID}3", "late") in match.names
    assert f"{GUID}2" not in match.roster


def test_times_that_run_backwards_move_nothing() -> None:
    """The share of the others stays right."""
    match = only(
        tdm(
            (50, "ClientDisconnect: 3"), (10, "Award: 1 1: x"), (10, "ClientBegin: 0"), (60, "ClientBegin: 1")
        )
    )
    shares = dict(match.contests[0].teams[1])
    assert shares == {f"{GUID}2": 1.0, f"{GUID}3": pytest.approx(50 / 140)}


def test_whoever_has_not_entered_is_not_there_unless_nobody_ever_does() -> None:
    """Who is still loading the map plays for nobody; a log without such lines has everyone there at once."""
    entering = log((0, INIT.format(0, "")), *human(0, 0), *human(1, 0), human(2, 0)[0], (9, "Exit: x"))
    scores = log((9, "score: 1  ping: 9  client: 0 P0"), "score: 0  ping: 9  client: 1 P1")
    assert only(entering + scores).roster == (f"{GUID}0", f"{GUID}1")
    without = b"".join(line for line in (entering + scores).splitlines(True) if b"ClientBegin" not in line)
    last = log((9, "score: 0  ping: 9  client: 2 P2"))
    assert only(without + last).roster == (f"{GUID}0", f"{GUID}1", f"{GUID}2")


def test_bots_go_by_name_and_level_and_people_by_guid_or_else_by_name() -> None:
    """Two of one identity at one time are told apart; a person without GUID stays who it was when renamed."""
    match = only(
        log(
            (0, INIT.format(3, "")), info(0, "^1Xan", 1, skill="3.00"), "ClientBegin: 0",
            info(1, "^1Xan", 2, skill="3.00"), "ClientBegin: 1", info(2, "Xan", 1, skill="3.50"),
            "ClientBegin: 2",
            info(3, "^2Zo\xeb", 2), "ClientBegin: 3", (5, info(3, "Zo\xeb 2", 2)),
            info(4, "x", 1, guid="bot:Xan:3"), "ClientBegin: 4", (9, "Exit: x"), "red:0  blue:0",
        )
    )  # fmt: skip
    assert [[player for player, _ in team] for team in match.contests[0].teams] == [
        ["bot:^1Xan:3", "bot:Xan:3.5", "guid:bot:Xan:3"], ["bot:^1Xan:3#2", "name:Zo\xeb"],
    ]  # fmt: skip
    assert dict(match.names)["name:Zo\xeb"] == "Zo\xeb 2"
    assert match.contests[0].ranks == (0.0, 0.0)


def test_a_capture_is_a_contest_of_those_present() -> None:
    """Each counts a part of the result, which comes last."""
    match = only(
        tdm(
            (10, "CTF: 0 2 0: P0 got the BLUE flag!"), (20, "CTF: 0 2 1: P0 captured the BLUE flag!"),
            (30, "ClientDisconnect: 1"), (40, "CTF: 3 1 1: P3 captured the RED flag!"),
            scores="red:1  blue:1",
        )
    )  # fmt: skip
    first, second, result = match.contests
    assert ([len(team) for team in first.teams], first.ranks) == ([2, 2], (0.0, 1.0))
    assert ([len(team) for team in second.teams], second.ranks) == ([1, 2], (1.0, 0.0))
    assert (first.weight, result.weight, result.ranks) == (0.2, 1.0, (0.0, 0.0))


def test_rounds_are_contests_and_a_round_that_was_won_is_not_drawn_as_well() -> None:
    """Servers of capture the flag elimination call a round drawn that they have given to a team."""
    match = only(
        log(
            (0, INIT.format(9, "")), *human(0, 1), *human(1, 2), (3,
            "CTF_ELIMINATION: 1 -1 -1 4: Round 1 has started!"),
            (5, "Kill: 0 1 1: a killed b by X"), (9, "CTF_ELIMINATION: 1 -1 1 7: RED wins round 1"),
            "CTF_ELIMINATION: 1 -1 -1 9: Round 1 ended in a draw!",
            "CTF_ELIMINATION: 2 -1 -1 4: Round 2 has started!",
            (20, "CTF_ELIMINATION: 2 1 1 1: P1 captured the RED flag!"), "Exit: x", "red:1  blue:1",
        )
    )  # fmt: skip
    assert [contest.ranks for contest in match.contests] == [(0.0, 1.0), (1.0, 0.0)]
    assert match.contests[0].statistics == (Statistics(f"{GUID}0", 1, 0), Statistics(f"{GUID}1", 0, 1))
    assert match.contests[1].statistics == (Statistics(f"{GUID}0", 0, 0), Statistics(f"{GUID}1", 0, 0))
    assert match.ruleset.game_type == "ctf-elimination"


@pytest.mark.parametrize("timed", [True, False])
def test_everyone_for_themselves_is_placed_by_score(timed: bool) -> None:
    """Who left has what they had done; spectators have a score line in no log, and none is waited for."""
    lines = [
        (0, INIT.format(0, "")), *human(0, 0), *human(1, 0), *human(2, 3), *human(3, 0),
        (10, "Kill: 3 0 1: a killed b by X"), "Kill: 3 1 1: a killed b by X", (50, "ClientDisconnect: 3"),
        (90, "Kill: 0 1 1: a killed b by X"), (100, "Exit: Fraglimit hit."),
        "score: 9  ping: 0  client: 1 P1",
        "score: -1  ping: 999  client: 0 P0",
    ]  # fmt: skip
    match = only(log(*lines, timed=timed))
    contest = match.contests[0]
    assert contest.scores == (-1.0, 9.0, 2.0)
    assert contest.ranks == (2.0, 0.0, 1.0)
    assert [team[0][1] for team in contest.teams] == [1.0, 1.0, 0.5 if timed else pytest.approx(2 / 3)]
    (cut,) = parsed(GAME, log(*lines[:-1], timed=timed))
    assert isinstance(cut, Unfinished)
    assert only(log(*lines[:-1], (116, "ShutdownGame:"), timed=timed)).contests[0].scores == (
        1.0 - 0.0,
        9.0,
        2.0,
    )


def test_nobody_to_play_against_is_no_match() -> None:
    """One side stayed empty."""
    lonely = log((0, INIT.format(3, "")), *human(0, 1), *human(1, 1), (60, "Exit: x"), "red:0  blue:0")
    assert parsed(GAME, lonely) == [Unfinished("log, line 1", "there was nobody to play against")]


def test_damaged_lines_are_reported_and_others_are_not() -> None:
    """Only lines that matter are missed."""
    found = parsed(
        GAME,
        tdm(
            (10, "Kill: 0 2   0:11 Item: 3 item_health"), "ClientUserinfoChanged: 1 n", "Gibberish: \x0b\x85",
            "ClientBegin: x", "ClientDisconnect: ", "CTF: 1 captured", "ELIMINATION: now",
            "CTF_ELIMINATION: 1 2 3:",
            "red:1", "score: 3",
        ) + b"",
    )  # fmt: skip
    assert [one.where for one in found if isinstance(one, Skipped)] == [f"log, line {n}" for n in (10,
    11, 13, 14, 15, 16, 17, 18, 19)]  # fmt: skip
    assert isinstance(found[-1], Match)
    (skipped, _) = parsed(GAME, tdm((10, "x")).replace(b"  0:10 x", b"Kill: 0 2 1: a killed b by X"))
    assert isinstance(skipped, Skipped)
    assert skipped.reason == "it has no time, in a log with times"


def test_only_a_line_feed_ends_a_line() -> None:
    """Names may hold everything that others take for the end of a line; they are kept as they are."""
    name = "\x0b\x0c\x1c\x85^1<b>&\"'\u202e"
    lines = log((0, INIT.format(3, ""))) + f"  0:00 {info(0, name, 1, guid=GUID + '0')}\n".encode()
    lines += log("ClientBegin: 0", *human(1, 2), (60, "Exit: x"), "red:1  blue:0")
    match = only(lines)
    assert dict(match.names)[f"{GUID}0"] == name
    assert only(lines.replace(b"\n", b"\r\n")) == match


def test_without_a_date_the_time_of_the_log_stands() -> None:
    """Seconds since the log began, so that games of one run of a server are in order."""
    old = INIT.format(3, "").replace("g_timestamp", "x")
    match = only(log((100, old), *human(0, 1), *human(1, 2), (160, "Exit: x"), "red:1  blue:0"))
    assert (match.began, match.ended, match.map) == (100.0, 160.0, "oa_dm1")
    back = only(log((100, old), *human(0, 1), *human(1, 2), (40, "Exit: x"), "red:1  blue:0"))
    assert (back.began, back.ended) == (100.0, 100.0)
    assert only(tdm()).began == only(tdm()).ended == 1767323045.0


@pytest.mark.parametrize(
    ("kind", "settings", "text"),
    [
        ("0", "", "openarena/ffa"),
        ("1", "", "openarena/duel"),
        ("4", r"\g_instantgib\1\g_rockets\0", "openarena/ctf+g_instantgib"),
        ("3", r"\g_rockets\1\g_gravity\800\g_vampire\0.5", "openarena/tdm+g_rockets+g_vampire"),
        ("8", r"\g_gravity\200\elimination_roundtime\60\sv_fps\40", "openarena/elimination+g_gravity"),
        ("12", r"\g_needpass\1\G_InstantGib\1", "openarena/domination+g_instantgib"),
        ("3", r"\g_moonwalk\1", "openarena/tdm+g_moonwalk"),
        ("7", r"\gamename\baseq3", "quake3/harvester"),
        ("3", r"\gamename\q3ut4", "urbanterror/tdm"),
        ("3", r"\gamename\cpma", "cpma/tdm"),
        ("11", r"\gamename\cpma", "cpma/11"),
    ],
)
def test_settings_are_mutators_where_they_change_play(kind: str, settings: str, text: str) -> None:
    """Only those that are not as they are by default; unknown ones count and are reported."""
    content = log(
        (0, INIT.format(kind, settings)), *human(0, 1), *human(1, 2), (60, "Exit: x"), "red:1  blue:0"
    )
    ruleset = only(content).ruleset
    assert ruleset_text(ruleset) == text
    assert unknown_mutators(RULES, ruleset) == (["g_moonwalk"] if "moonwalk" in text else [])


def test_a_log_without_a_beginning_is_recognised_by_its_lines() -> None:
    """As one is that was rotated in the middle of a game."""
    assert GAME.recognise(real(TDM)[5000:8000])
    assert not GAME.recognise(b"Kill: is a word\nred: too\n")


def test_two_games_that_differ_in_anything_have_different_ids() -> None:
    """A second, an event, a setting; but not how lines end nor what the log is called."""
    contents = [tdm(), tdm((50, "Item: 1 x")), tdm((51, "Item: 1 x")), tdm().replace(b"oa_dm1", b"oa_dm2")]
    assert len({only(content).id for content in contents}) == len(contents)
