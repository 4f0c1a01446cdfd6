"""Half-Life and Counter-Strike: rounds, SteamIDs, restarts, halves, and the games of the family."""

from __future__ import annotations

import random

import pytest
from tests.games.samples import CS, STEAM, counter_strike

from equipoise.core.match import Match, Unfinished
from equipoise.core.rulesets import ruleset_text
from equipoise.games.halflife.counter_strike import HALF
from equipoise.games.halflife.reader import GAME, PERSON
from equipoise.games.laws import parsed
from equipoise.games.log_reader import guess_game

OVER = "Game Over: competitive 1 de_dust2 score 2:1 after 9 min"
IDS = ["[U:1:23]", "[U:1:24]", "[U:1:27]", "bot:P3:?"]


def only(log: str) -> Match:
    """Return the one match of a log."""
    (match,) = parsed(GAME, log.encode())
    assert isinstance(match, Match)
    return match


def test_rounds_are_contests_of_those_present() -> None:
    """What was before a restart was warm-up; bots are known by name, people by SteamID."""
    match = only(CS)
    assert guess_game(CS.encode()).name == "halflife"
    assert ruleset_text(match.ruleset) == "cstrike/bomb"
    assert [contest.ranks for contest in match.contests] == [(1.0, 0.0), (0.0, 1.0)]
    assert [[player for player, _ in team] for team in match.contests[0].teams] == [IDS[1::2], IDS[::2]]
    kills = {each.player: (each.kills, each.deaths) for each in match.contests[0].statistics}
    assert kills == {IDS[0]: (1, 0), IDS[1]: (0, 1), IDS[2]: (1, 0), IDS[3]: (0, 1)}
    assert match.dated
    assert match.map == "de_dust2"


@pytest.mark.parametrize(
    ("ids", "mark", "game"),
    [
        (STEAM, "", "cstrike"),
        (("STEAM_1:1:11", "STEAM_1:0:12", "STEAM_1:1:13", "BOT"), "SFUI_Notice_", "csgo"),
        (("[U:1:23]", "[U:1:24]", "[U:1:27]", "BOT"), "SFUI_Notice_", "cs2"),
    ],
)
def test_a_person_has_one_id_in_every_game(ids: tuple[str, ...], mark: str, game: str) -> None:
    """The games differ in their triggers and in the form of SteamIDs."""
    match = only(counter_strike("WIN CT 1 0", ids=ids, mark=mark))
    assert match.ruleset.game == game
    assert sorted(match.roster) == sorted(IDS)


def test_a_map_of_the_workshop_is_what_its_name_says() -> None:
    """It is in a folder."""
    log = counter_strike("WIN CT 1 0").replace("de_dust2", "workshop/125438255/de_dust2")
    assert ruleset_text(only(log).ruleset) == "cstrike/bomb"
    assert only(log).map == "workshop/125438255/de_dust2"


def test_halves_are_one_match_of_two_rosters() -> None:
    """Sides swap, with a restart or without; each round is of those who play it."""
    for restart in ([], ['World triggered "Restart_Round_(3_seconds)"']):
        first = [f"WIN CT {n + 1} 0" for n in range(HALF)]
        swap = [f"<{n}> switched from team <{a}> to <{b}>" for n, (a, b) in enumerate(
            [("CT", "TERRORIST"), ("TERRORIST", "CT")] * 2)]  # fmt: skip
        match = only(counter_strike(*first, *restart, *swap, f"WIN TERRORIST {HALF} 1", mark="SFUI_Notice_"))
        assert len(match.contests) == HALF + 1
        for contest in match.contests:
            winner = contest.ranks.index(0.0)
            assert {player for player, _ in contest.teams[winner]} == {IDS[0], IDS[2]}


def test_who_only_talks_does_not_play() -> None:
    """Chat makes nobody, whatever team it names."""
    talk = '"x<99><[U:1:99]><CT>" say "hi"'
    assert only(counter_strike(talk, "WIN CT 1 0", talk, "WIN CT 2 0")).roster == only(
        counter_strike("WIN CT 1 0", "WIN CT 2 0")
    ).roster  # fmt: skip


def test_a_round_is_reported_once() -> None:
    """Two triggers of one round with one score are one round, and a draw has no winner."""
    match = only(counter_strike("WIN CT 1 0", "WIN CT 1 0", 'World triggered "Round_Draw" (CT "1") (T "0")'))
    assert [contest.ranks for contest in match.contests] == [(1.0, 0.0), (0.0, 0.0)]


def test_the_next_map_ends_a_game() -> None:
    """Where no log file is closed; what has not ended is unfinished."""
    log = CS.replace("Log file closed", "nothing") + counter_strike(day=2, name="cs_office")
    first, second = parsed(GAME, log.encode())
    assert isinstance(first, Match)
    assert isinstance(second, Unfinished)
    (found,) = parsed(GAME, CS.replace("Log file closed", "nothing").encode())
    assert isinstance(found, Unfinished)
    assert "the log ends" in found.reason


def test_other_games_have_scores_of_teams_or_kills() -> None:
    """As the standard has them: teams score at the end, and who plays alone is a team of the own number."""
    log = (
        counter_strike('Team "Red" scored "4" with "2" players', 'Team "Blue" scored "2" with "2" players')
        .replace('"CT"', '"Red"').replace('"TERRORIST"', '"Blue"')
        .replace("<CT>", "<Red>").replace("<TERRORIST>", "<Blue>").replace("de_dust2", "2fort")
    )  # fmt: skip
    match = only(log)
    assert ruleset_text(match.ruleset) == "halflife/tdm"
    assert match.contests[0].ranks == (0.0, 1.0)
    alone = "".join(
        f"L 01/01/2026 - 20:00:0{n}: {line}\n"
        for n, line in enumerate(
            ['Loading map "crossfire"', '"A<1><STEAM_0:0:1><1>" entered the game',
             '"B<2><STEAM_0:0:2><2>" entered the game',
             '"A<1><STEAM_0:0:1><1>" killed "B<2><STEAM_0:0:2><2>" with "crowbar"', "Log file closed"]
        )
    )  # fmt: skip
    match = only(alone)
    assert ruleset_text(match.ruleset) == "halflife/ffa"
    assert match.contests[0].ranks == (0.0, 1.0)


def test_settings_that_change_play_are_mutators() -> None:
    """In both forms in which servers tell them."""
    for reported in ('Server cvar "sv_gravity" = "200"', 'server_cvar: "sv_gravity" "200"'):
        assert ruleset_text(only(counter_strike(reported, "WIN CT 1 0")).ruleset) == "cstrike/bomb+sv_gravity"


def test_another_number_is_not_another_person() -> None:
    """Lines about money have numbers of their own, and who lost the connection comes back under a new one."""
    money = '"P0<3><STEAM_0:1:11><CT>" money change 800-500 = $300 (tracked) (purchase: item_kevlar)'
    back = '"P0<40><STEAM_0:1:11><>" entered the game'
    again = '"P0<40><STEAM_0:1:11><CT>" killed "P1<21><STEAM_0:0:12><TERRORIST>" with "ak47"'
    match = only(counter_strike("<0> killed <1> with", money, "WIN CT 1 0", back, again, "WIN CT 2 0"))
    assert sorted(match.roster) == sorted(IDS)
    kills = [next(each.kills for each in one.statistics if each.player == IDS[0]) for one in match.contests]
    assert kills == [1, 1]


def test_a_log_that_begins_within_a_map_is_no_game() -> None:
    """Its first rounds are not in it."""
    log = counter_strike("WIN CT 1 0").split("\n")
    start = 'L 01/01/2026 - 20:00:00: World triggered "Round_Start"'
    (found,) = parsed(GAME, "\n".join([start, *log[3:]]).encode())
    assert isinstance(found, Unfinished)
    assert "beginning of the map" in found.reason


def test_rounds_of_a_state_that_was_not_kept_do_not_count() -> None:
    """A backup is restored: its own draw is no round, and rounds after the restored one are played again."""
    status = 'MatchStatus: Score: {}:0 on map "de_dust2" RoundsPlayed: {}'
    played = [line for n in (1, 2, 3, 4) for line in (f"WIN CT {n} 0", status.format(n, n))]
    restored = [
        'World triggered "Match_Reloaded" on "de_dust2"',
        'World triggered "SFUI_Notice_Round_Draw" (CT "2") (T "0")',
        status.format(2, 2),
    ]
    again = ["WIN TERRORIST 2 1", 'MatchStatus: Score: 2:1 on map "de_dust2" RoundsPlayed: 3', OVER]
    match = only(counter_strike(*played, *restored, *again, mark="SFUI_Notice_"))
    assert [contest.ranks for contest in match.contests] == [(1.0, 0.0), (1.0, 0.0), (0.0, 1.0)]
    same = only(counter_strike(*played, *restored, *played[4:], OVER, mark="SFUI_Notice_"))
    assert len(same.contests) == 4, "the same score once more is another round"
    quiet = only(counter_strike(*played, status.format(2, 2), *again, mark="SFUI_Notice_"))
    assert len(quiet.contests) == 3, "fewer rounds than before are a restored state too"


RELOADED = 'World triggered "Match_Reloaded" on "de_dust2"'
DRAW = 'World triggered "SFUI_Notice_Round_Draw" (CT "2") (T "0")'
BEGUN = 'World triggered "Match_Start" on "de_dust2"'


def counted(rounds: int) -> str:
    """Return how a server says that so many rounds count."""
    return f'MatchStatus: Score: {rounds}:0 on map "de_dust2" RoundsPlayed: {rounds}'


@pytest.mark.parametrize(
    "restored",
    [
        (RELOADED, DRAW, counted(2)),
        (DRAW, RELOADED, counted(2)),
        (counted(2), RELOADED, DRAW),
        (counted(2), DRAW),
        (RELOADED, counted(2), DRAW, counted(2)),
        (RELOADED, BEGUN, counted(2), DRAW, counted(2)),
        (BEGUN, counted(2)),
    ],
)
def test_a_restored_state_is_known_whatever_the_order_of_its_lines(restored: tuple[str, ...]) -> None:
    """Two of four rounds are kept, and the third is played again."""
    played = [line for n in (1, 2, 3, 4) for line in (f"WIN CT {n} 0", counted(n))]
    again = ["WIN TERRORIST 2 1", 'MatchStatus: Score: 2:1 on map "de_dust2" RoundsPlayed: 3', OVER]
    match = only(counter_strike(*played, *restored, *again, mark="SFUI_Notice_"))
    assert [contest.ranks for contest in match.contests] == [(1.0, 0.0), (1.0, 0.0), (0.0, 1.0)]


def test_a_draw_counts_where_the_server_counts_it() -> None:
    """Everybody died at once, and the server says one round more; the score does not."""
    played = ["WIN CT 1 0", counted(1), DRAW, counted(2), "WIN CT 2 0", counted(3), "WIN CT 2 0", OVER]
    match = only(counter_strike(*played, mark="SFUI_Notice_"))
    assert [contest.ranks for contest in match.contests] == [(1.0, 0.0), (0.0, 0.0), (1.0, 0.0)]


def test_a_match_that_another_server_began_goes_on_with_its_number() -> None:
    """Its first rounds are in another log; none of the others is lost, and none counts twice."""
    began = [RELOADED, counted(7), "WIN CT 5 3", counted(8), "WIN TERRORIST 5 4", counted(9), "WIN CT 6 4"]
    restored = [
        counted(10),
        RELOADED,
        counted(9),
        "WIN TERRORIST 5 5",
        counted(10),
        "WIN TERRORIST 5 5",
        OVER,
    ]
    match = only(counter_strike(*began, *restored, mark="SFUI_Notice_"))
    assert [contest.ranks for contest in match.contests] == [(1.0, 0.0), (0.0, 1.0), (0.0, 1.0)]


#: What is said of people in a random log, with how often.
SAID = {
    '{who} [1 2 3] attacked {other} [1 2 3] with "ak"': 400, '{who} say "hi"': 100,
    '{who} killed {other} with "ak"': 60, '{who} joined team "{team}"': 6, "{who} disconnected": 2,
    'Team "CT" triggered "CTs_Win" (CT "{n}") (T "0")': 4, 'rcon from "1": command': 50,
    'Started map "de_nuke" (CRC "1")': 0.3, '"player_1" : "  1, 2"': 20,
}  # fmt: skip


def random_log(rng: random.Random) -> str:
    """Return a log of people who come, change teams and names, and times that mostly go forward."""
    head, minute = counter_strike("WIN CT 1 0").splitlines()[:12], 0
    for n in range(rng.randrange(50, 1500)):
        minute = max(minute + rng.choice([0] * 40 + [1, 2, 20, -3, -70]), 0)
        one = rng.randrange(8)
        people = []
        for m in (one, (one + 1) % 8):
            team = rng.choice(["CT", "TERRORIST"]) if rng.random() < 0.02 else ("CT", "TERRORIST")[m % 2]
            name = f"P{m}" + "x" * (rng.random() < 0.01)
            people.append(f'"{name}<{20 + m}><STEAM_0:1:{m + 11}><{team}>"')
        what = rng.choices(list(SAID), list(SAID.values()))[0]
        line = what.format(
            who=people[0], other=people[1], n=n, team=rng.choice(["CT", "TERRORIST", "Spectator"])
        )
        day, hour = 1 + minute // 1440, minute // 60 % 24
        date = f"L 01/{day:02}/2026 - {hour:02}:{minute % 60:02}:{n % 60 if minute % 7 == 0 else 0:02}: "
        head.append(line if rng.random() < 0.0005 else date + line)
    return "\n".join([*head, ""])


@pytest.mark.parametrize("seed", range(40))
def test_lines_together_say_what_they_say_one_by_one(seed: int) -> None:
    """A log with other line ends is read one by one; pieces of any size are other lines together."""
    rng = random.Random(seed)  # noqa: S311  # no secret
    log = random_log(rng).encode()
    together = parsed(GAME, log)
    reader = GAME.reader("log")
    cuts = sorted(rng.sample(range(len(log)), 20))
    pieces = [
        each for a, b in zip([0, *cuts], [*cuts, len(log)], strict=True) for each in reader.read(log[a:b])
    ]
    assert [*pieces, *reader.finish()] == together
    assert parsed(GAME, log.replace(b"\n", b"\r\n")) == together


def test_a_server_that_counts_rounds_says_when_a_match_is_over() -> None:
    """A match that another map cut short is none, and one that begins anew has no rounds of the first."""
    status = 'MatchStatus: Score: {}:0 on map "de_dust2" RoundsPlayed: {}'
    played = [line for n in range(1, HALF + 2) for line in (f"WIN CT {n} 0", status.format(n, n))]
    (found,) = parsed(GAME, counter_strike(*played, mark="SFUI_Notice_").encode())
    assert isinstance(found, Unfinished)
    assert "Game Over" in found.reason
    assert len(only(counter_strike(*played, OVER, mark="SFUI_Notice_")).contests) == HALF + 1
    anew = ['World triggered "Match_Start" on "de_dust2"', status.format(0, 0), *played[:4], OVER]
    assert len(only(counter_strike(*played, *anew, mark="SFUI_Notice_")).contests) == 2


def test_a_last_line_without_its_end_is_one() -> None:
    """If the rest of it is there: the log of a server that was copied without its last line feed."""
    for log in (CS, counter_strike("WIN CT 1 0", OVER).rpartition("L 01")[0]):
        assert parsed(GAME, log.removesuffix("\n").encode()) == parsed(GAME, log.encode())
        (found,) = parsed(GAME, log.removesuffix("\n")[:-1].encode())
        assert isinstance(found, Unfinished)


@pytest.mark.parametrize("other", ["01/02/2026 - 19", "01/01/2026 - 19", "02/01/2026 - 20"])
def test_a_clock_that_was_set_moves_nothing(other: str) -> None:
    """Neither an hour back nor a month ahead changes what share of a game those had who came late."""
    late = '"P3<23><BOT><>" joined team "Spectator"', '"P3<23><BOT><>" joined team "TERRORIST"'
    lines = [late[0], *['<0> killed <1> with "x"'] * 20, late[1], *['<0> killed <1> with "x"'] * 20]
    ends = ['Team "Red" scored "4" with "2" players', 'Team "Blue" scored "2" with "2" players']
    log = counter_strike(*lines, *ends)
    for old, new in (("CT", "Red"), ("TERRORIST", "Blue")):
        log = log.replace(f'"{old}"', f'"{new}"').replace(f"<{old}>", f"<{new}>")
    written = log.splitlines(keepends=True)
    half = len(written) * 3 // 4
    moved = "".join([*written[:half], *(each.replace("01/01/2026 - 20", other) for each in written[half:])])
    share, same = (dict(only(each).contests[0].teams[1])[IDS[3]] for each in (log, moved))
    assert 0.4 < share < 0.6
    assert same == pytest.approx(share, abs=0.02)


def test_the_bomb_kills_and_whoever_cannot_be_judged_is_said() -> None:
    """A death by nobody; people who played without a result that can be read."""
    match = only(counter_strike("<1> was killed by the bomb.", "WIN CT 1 0"))
    deaths = {each.player: each.deaths for each in match.contests[0].statistics}
    assert deaths[IDS[1]] == 1
    log = counter_strike('<0> killed <1> with "ak47"').replace("CT", "Alpha").replace("TERRORIST", "Beta")
    (found,) = parsed(GAME, log.encode())
    assert isinstance(found, Unfinished)
    assert "nobody to play against" not in found.reason


@pytest.mark.parametrize("name", ["bob<3>", "<1>", "a<12>"])
def test_a_name_may_end_with_what_looks_like_a_number(name: str) -> None:
    """In lines without a team too, where the id stands last."""
    match = only(CS.replace('"P0<', f'"{name}<'))
    assert match.roster == only(CS).roster
    line = f'"{name}<30><STEAM_1:1:36968273>" switched from team <Unassigned> to <TERRORIST>'
    found = PERSON.match(line.encode())
    assert found is not None
    assert found.groups()[:4] == (name.encode(), b"30", b"STEAM_1:1:36968273", None)
