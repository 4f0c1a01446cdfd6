"""What lobbies and games look like on Discord: one message each, with buttons, that nobody's name can break.

A message is plain data here; :mod:`equipoise.service.chat.discord` sends it.  Names are shown as they are
read: what would be a mention, a link or markdown in them is not, and no message is longer than Discord takes.
Only those who play are ever pinged, and only by the first message of their game, as edits ping nobody.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from equipoise.core.plain_data import calling_nobody, printable
from equipoise.pages.text.evening import names_of, result_text
from equipoise.pages.text.teams import sizes_text, verdict_of, whole_chances
from equipoise.play.evening_events import LATER, MAYBE
from equipoise.play.evening_state import Phase

if TYPE_CHECKING:
    from equipoise.play.evening_events import EveningLobby
    from equipoise.play.evening_state import EveningGame, Room

#: What Discord takes: characters of a text, of an embed's title, text and field, and of a button.
MOST_TEXT, MOST_TITLE, MOST_BODY, MOST_FIELD, MOST_LABEL, MOST_ID = 2000, 256, 4096, 1024, 80, 100

#: Buttons in a row, and rows.
A_ROW, ROWS = 5, 5

#: Of all that an embed says, together; and what of that the head of a team and the foot may have.
MOST_ALL, MOST_HEAD, MOST_FOOTER = 6000, 100, 200

#: The head of a message whose game is no more.
CLOSED = "called off"

#: The longest name that is shown, and how many names a list has before it only counts.
LONGEST_NAME, MOST_NAMES = 32, 40

#: The longest name of a channel or thread, without the mark of a game.
LONGEST_ROOM = 90

#: Where buttons that are ours begin, and what stands between their parts.
OURS, BETWEEN = "eq", "|"

#: The colour of a message by what it waits for: gathering, playing, over, a question.
MOSS, RULE, WARN = 0x43590F, 0x857B6A, 0x7A4F00

#: Signs before the names of teams: colour is never alone.
SIGNS = ("●", "◆", "▲", "■")

#: Signs that turn the direction of what follows.
_TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")

_MARKDOWN = frozenset("\\`*_~|>#[]()<:-+=")

#: From the id of a player to what is shown.
Shown = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Button:
    """A button: what it does (``id``), or the address that it opens."""

    label: str
    id: str = ""
    style: str = "secondary"
    url: str = ""


@dataclass(frozen=True, slots=True)
class DiscordMessage:
    """A message as plain data.

    Parameters
    ----------
    title, text : str
        What it says.
    fields : tuple of (str, str)
        Beside one another: the teams.
    footer : str
        Small, below.
    colour : int
        Its edge.
    buttons : tuple of Button
        In order.
    pings : tuple of str
        The ids of those who are mentioned once, when it is new.
    """

    title: str
    text: str = ""
    fields: tuple[tuple[str, str], ...] = ()
    footer: str = ""
    colour: int = MOSS
    buttons: tuple[Button, ...] = ()
    pings: tuple[str, ...] = ()

    def fitted(self) -> DiscordMessage:
        """Return the message with nothing longer than Discord takes, each part and all together."""
        title, footer = cut(self.title, MOST_TITLE), cut(self.footer, MOST_FOOTER)
        names = [cut(name, MOST_HEAD) for name, _ in self.fields]
        left = MOST_ALL - len(title) - len(footer) - sum(map(len, names))
        each = min(MOST_FIELD, 2 * left // 3 // max(len(names), 1))
        values = [cut(value, each) or "-" for _, value in self.fields]
        text = cut(self.text, min(MOST_BODY, left - sum(map(len, values))))
        fields = tuple(zip(names, values, strict=True))
        buttons = self.buttons[: A_ROW * ROWS]
        return replace(self, title=title, text=text, fields=fields, footer=footer, buttons=buttons)


def mark(text: str) -> str:
    """Return a short mark of a lobby, game, player or map, as buttons bear it."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def button_id(action: str, ref: str) -> str:
    """Return the id of a button: what it does, and the mark of the lobby or game it does it with.

    Examples
    --------
    >>> button_id("ready", "pickup-ctf-1-5"), button_of("eq|ready|09cba091df69")
    ('eq|ready|e6c1396136c1', ('ready', '09cba091df69'))
    """
    return BETWEEN.join((OURS, action, mark(ref)))


def button_of(text: str) -> tuple[str, str]:
    """Return what a button does, and with what; nothing for one that is not ours."""
    ours, _, rest = text.partition(BETWEEN)
    action, _, ref = rest.partition(BETWEEN)
    return (action, ref) if ours == OURS else ("", "")


def cut(text: str, most: int) -> str:
    """Return a text of so many characters at most, as Discord counts them, with an ellipsis where it is cut.

    Examples
    --------
    >>> cut("abcdef", 4), cut("abc", 4)
    ('abc…', 'abc')
    """
    return text if len(text) <= most else text[: most - 1] + "…"


def safe(name: str) -> str:
    r"""Return a name that is read as it is: no mention, link, markdown or line, and not too long.

    Examples
    --------
    >>> print(safe("*Ann*")), safe("<@1>")
    \*Ann\*
    (None, '\\<@\u200b1\\>')
    >>> safe("a\nb")
    'a b'
    """
    plain = printable(" ".join(visible(name).split()))
    escaped = "".join(f"\\{sign}" if sign in _MARKDOWN else sign for sign in cut(plain, LONGEST_NAME))
    return calling_nobody(escaped).replace("//", "/\u200b/") or "?"


def visible(name: str) -> str:
    r"""Return a name without signs that turn the direction of a line, or are nothing to see.

    Examples
    --------
    >>> visible("\u202eAnn")
    'Ann'
    """
    return "".join(sign for sign in name if sign not in _TURNING) or name


def quoted(text: str) -> str:
    r"""Return a sentence of ours, with names in it, that mentions nobody.

    Examples
    --------
    >>> quoted("there is no <@5> here")
    'there is no <@\u200b5> here'
    """
    return cut(calling_nobody("\n".join(map(printable, visible(text).splitlines()))), MOST_TEXT)


def level(chances: Sequence[float]) -> str:
    r"""Return the spirit level of two teams: its bubble is within the lines while the game is even.

    Examples
    --------
    >>> print(level((0.5, 0.5)), level((0.475, 0.525)), level((0.4, 0.6)), level((0.9, 0.1)), sep="\n")
    ━━━━━━━┃··●··┃━━━━━━━
    ━━━━━━━┃····●┃━━━━━━━
    ━━━━━━━┃·····┃━━━●━━━
    ●━━━━━━┃·····┃━━━━━━━
    """
    if len(chances) != 2:
        return ""
    off = 100.0 * (chances[1] - 0.5)
    size = abs(off)
    steps = round(size / 1.25) if size <= 2.5 + 1e-9 else 4 + min(int((size - 2.5) / 2.5 + 1e-9), 6)
    cells = list("━━━━━━━┃·····┃━━━━━━━")
    cells[10 + (steps if off > 0 else -steps)] = "●"
    return "".join(cells)


def _button(label: str, action: str, ref: str, style: str = "secondary") -> Button:
    return Button(cut(label, MOST_LABEL), button_id(action, ref), style)


def _people(players: Iterable[str], shown: Shown) -> str:
    """Return names, or how many there are besides the first ones."""
    listed = list(players)
    text = names_of(listed[:MOST_NAMES], shown)
    return f"{text} and {len(listed) - MOST_NAMES} more" if len(listed) > MOST_NAMES else text


def short(lobby: EveningLobby) -> str:
    """Return what a lobby is called in its channel, which its whole name has too.

    Examples
    --------
    >>> from equipoise.play.evening_events import night_lobby
    >>> short(replace(night_lobby("tonight-5"), channel="discord:5")), short(night_lobby("5/ctf"))
    ('tonight', 'ctf')
    """
    channel = lobby.channel.rpartition(":")[2]
    name = lobby.name.rpartition("/")[2]
    return name.removesuffix(f"-{channel}") if channel else name


def room_name(lobby: EveningLobby, team: str, ref: str) -> str:
    """Return what a team's channel or thread is called: with the game's mark, as it is found again by it.

    Examples
    --------
    >>> from equipoise.play.evening_events import night_lobby
    >>> room_name(night_lobby("5/ctf"), "red", "a")
    'ctf red ca97'
    """
    return cut(printable(f"{short(lobby)} {team}"), LONGEST_ROOM) + f" {mark(ref)[:4]}"


def lobby_message(room: Room, shown: Shown, *, web: str = "") -> DiscordMessage:
    """Return the message of a lobby: who is there, and the buttons to be there or not.

    Parameters
    ----------
    room : Room
        The lobby.
    shown : callable
        From the id of a player to a name, as it is.
    web : str
        The address of the same evening in a browser; none where it is in none.
    """
    lobby, here = room.lobby, room.setup.here
    shown, name, ref = _safely(shown), safe(short(lobby)), lobby.name
    count = f"{len(here)} here" if lobby.called else f"{len(here)} of {lobby.seats}"
    lines = [_people(here, shown) or "Nobody yet."]
    for state, word in ((MAYBE, "Maybe"), (LATER, "Later")):
        them = [player for player, each in room.states.items() if each == state]
        lines += [f"{word}: {_people(them, shown)}"] if them else []
    if lobby.maps:
        how = {True: "sides strike", False: "all vote" if lobby.ballot else "in turn"}[lobby.veto]
        lines.append(f"Maps ({how}): {', '.join(map(safe, lobby.maps))}")
    buttons = [_button("I'm in", "in", ref, "success"), _button("Out", "out", ref)]
    if lobby.called:
        buttons.insert(1, _button("Maybe", "maybe", ref))
        buttons.append(_button("Make teams", "divide", ref, "primary"))
    if web:
        buttons.append(Button("Open in the browser", url=web))
    size = "everyone plays" if lobby.size is None else " v ".join([str(lobby.size)] * lobby.teams)
    return DiscordMessage(f"{name}: {count}", "\n".join(lines), footer=size, buttons=tuple(buttons)).fitted()


def game_message(
    game: EveningGame, called: Callable[[int], str], shown: Shown, *, proof: str = "", result: str = "",
    web: str = "", steps: int = 0,
) -> DiscordMessage:  # fmt: skip
    """Return the message of a game, as it is by now.

    Parameters
    ----------
    game : EveningGame
        The game.
    called : callable
        From a team's number to what it is called.
    shown : callable
        From the id of a player to a name, as it is.
    proof : str
        What is proven of the teams, and why they are as they are.
    result : str
        What the result changed.
    web : str
        The address of the same evening in a browser.
    steps : int
        How many steps there are, so that a button of undo takes back the last one once.
    """
    name, plain, shown = safe(short(game.lobby)), shown, _safely(shown)
    head, lines, buttons = _asked(game, shown, plain, steps, lambda team: safe(called(team)))
    if game.phase is Phase.OVER and game.counted:
        best = [n for n, rank in enumerate(game.ranks) if rank == min(game.ranks)]
        head = f"{safe(called(best[0]))} won" if len(best) == 1 else "a draw"
    teams = [safe(called(n)) for n in range(len(game.teams))]
    fields = [
        (f"{SIGNS[n % len(SIGNS)]} {teams[n]}", "\n".join(map(shown, team)) or "-")
        for n, team in enumerate(game.teams)
    ]  # fmt: skip
    text = []
    if game.is_whole and not game.counted:
        bubble = level(game.chances)
        even = verdict_of(game.chances, teams)
        larger = sizes_text(list(map(len, game.teams)), teams)
        text += [f"**{even}**", f"`{bubble}`" if bubble else "", f"{larger}." if larger else "", proof]
    if game.out:
        text.append(f"Sits out: {_people(game.out, shown)}")
    if game.unmet:
        pairs = ", ".join(f"{shown(one)} and {shown(other)}" for one, other in game.unmet)
        text.append(f"Not as preferred this time: {pairs}")
    if game.map:
        text.append(f"Map: {safe(game.map)}")
    text += [*lines, result]
    if game.wanted:
        text.append(f"A substitute is needed for {_people(sorted(game.wanted), shown)}.")
    over = game.phase is Phase.OVER
    colour = RULE if over else WARN if game.phase is Phase.DISPUTED else MOSS
    if web and not over:
        del buttons[A_ROW * ROWS - 1 :]
        buttons.append(Button("Open in the browser", url=web))
    return DiscordMessage(
        f"{name}: {head}", "\n".join(filter(None, text)), tuple(fields), game.id, colour, tuple(buttons),
        tuple(game.players),
    ).fitted()  # fmt: skip


def _safely(shown: Shown) -> Shown:
    return lambda player: safe(shown(player))


def _asked(
    game: EveningGame, shown: Shown, plain: Shown, steps: int, called: Callable[[int], str]
) -> tuple[str, list[str], list[Button]]:
    """Return what a game waits for: its head, lines and buttons."""
    ref, phase = game.id, game.phase
    out = _button("I can't", "out", ref)
    undo = _button("Undo", f"undo-{steps}", ref)
    if phase is Phase.CHECKING:
        missing = [player for player in game.players if player not in game.ready]
        late = f"Late: {_people(sorted(game.late), shown)}" if game.late else ""
        buttons = [_button("Ready", "ready", ref, "success"), _button("Two minutes", "late", ref), out]
        head = f"ready? {len(game.ready)} of {len(game.players)}"
        return head, [f"Until {_moment(game.deadline)}. Missing: {_people(missing, shown)}", late], buttons
    if phase is Phase.DIVIDING:
        return "looking for teams", [], []
    if phase is Phase.VOTING:
        seen = len(game.seen)
        buttons = [_button("Play", f"yes-{seen}", ref, "success"), _button("Other teams", f"no-{seen}", ref),
                   _button("Captains", f"captains-{seen}", ref), out]  # fmt: skip
        return "these teams?", [f"Until {_moment(game.deadline)}. {_votes(game)}"], buttons
    if phase is Phase.DRAFTING:
        captain = shown(game.teams[game.turn][0])
        picks = [_button(f"Pick {printable(plain(each))}", f"pick-{mark(each)}", ref)
                 for each in game.unpicked[:20]]  # fmt: skip
        return "captains pick", [f"{captain} picks next: press, or /pick"], picks
    if phase in (Phase.STRIKING, Phase.CHOOSING):
        striking = phase is Phase.STRIKING
        maps = game.maps if striking else list(game.lobby.maps)
        side = (len(game.lobby.maps) - len(game.maps)) % game.lobby.teams
        line = f"{called(side)} strikes one." if striking else f"Vote for one. {_votes(game)}"
        action = "veto" if striking else "map"
        return (
            "strike a map" if striking else "vote for a map",
            [line],
            [_button(each, f"{action}-{mark(each)}", ref) for each in maps[: A_ROW * ROWS]],
        )
    if phase in (Phase.PLAYING, Phase.DISPUTED):
        return _playing(game, out, undo, called)
    if game.counted:
        return result_text(game.ranks), _scores(game), [undo] if game.lobby.called else []
    return "called off", [], []


def _playing(
    game: EveningGame, out: Button, undo: Button, called: Callable[[int], str]
) -> tuple[str, list[str], list[Button]]:
    """Return a game that is being played, or whose result is disputed."""
    ref, lines = game.id, []
    if game.lobby.called:
        won = [_button(f"{SIGNS[n % len(SIGNS)]} won", f"won-{n}", ref, "primary")
               for n in range(len(game.teams))]  # fmt: skip
        others = [_button("Draw", "draw", ref), _button("Score", "score", ref),
                  _button("Other teams", "no", ref), undo]  # fmt: skip
        return "play", [_votes(game)], [*won, *others]
    buttons = [_button("We won", "won", ref, "primary"), _button("We lost", "lost", ref),
               _button("Draw", "draw", ref), _button("Score", "score", ref)]  # fmt: skip
    if len(game.teams) > 2:
        buttons = [buttons[0], *buttons[2:]]
    if game.phase is Phase.DISPUTED:
        lines.append("The sides report different results: report again, or ask who is in charge.")
    elif game.reports:
        side, ranks = next(iter(game.reports.items()))
        best = [n for n, rank in enumerate(ranks) if rank == min(ranks)]
        how = f"{called(best[0])} won" if len(best) == 1 else "a draw"
        lines.append(f"{called(side)} reports: {how}. It counts {_moment(game.deadline)}.")
        buttons.append(_button("Confirm", "confirm", ref, "success"))
    second = [_button("Play for them", "sub", ref)] if game.wanted else []
    return "play", lines, [*buttons, *second, out]


def _votes(game: EveningGame) -> str:
    counts: dict[str, int] = {}
    for choice in game.votes.values():
        counts[choice] = counts.get(choice, 0) + 1
    return f"Votes: {', '.join(f'{safe(choice)} {n}' for choice, n in counts.items())}." if counts else ""


def _scores(game: EveningGame) -> list[str]:
    return [f"Score: {' : '.join(f'{score:g}' for score in game.scores)}"] if game.scores else []


def _moment(at: float) -> str:
    """Return a moment that each reader sees in their own time zone."""
    return f"<t:{int(at)}:R>" if at < 1e15 else "a vote decides"


def leaderboard_message(
    rows: Sequence[tuple[int, str, int, int]], shown: Shown, title: str
) -> DiscordMessage:
    """Return a leaderboard: rows of place, player, points and games.

    Examples
    --------
    >>> print(leaderboard_message([(1, "ann", 612, 9)], str, "ctf").text)
    **1** ann · 612 points · 9 games
    """
    lines = [f"**{place}** {shown(player)} · {points} points · {games} game{'s' * (games != 1)}"
             for place, player, points, games in rows]  # fmt: skip
    return DiscordMessage(safe(title), "\n".join(lines) or "Nobody has played yet.", colour=RULE).fitted()


def chances_line(chances: Sequence[float]) -> str:
    """Return chances as whole numbers, as they are shown."""
    return " : ".join(map(str, whole_chances(chances)))


def help_text(commands: Mapping[str, str]) -> str:
    """Return what can be typed, a line each."""
    return cut("\n".join(f"/{name}: {what}" for name, what in commands.items()), MOST_TEXT)
