"""What happens in an evening (events), what follows for the world (commands), and both as plain data.

Every door (a terminal, a chat, a page) turns what people type or tap into these events, and nothing else.
``who`` is the id of the one who acts, empty where that is whoever runs the evening; ``admin`` says that this
is one of those in charge, who may act for others.  ``lobby`` names the lobby where the event does not say it
by who acts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar

from equipoise.core.match import Ruleset
from equipoise.errors import InputError
from equipoise.play import event_codec

Teams = tuple[tuple[str, ...], ...]

#: From the id of a player to the one that counts for that person.
One = Callable[[str], str]

T = TypeVar("T")

#: Seconds for being ready, for the vote on teams, and for the other side to contradict a report.
READY, VOTE, CONTRADICT = 60.0, 60.0, 600.0

#: How a map is found: they come in turn, sides strike all but one, or everyone votes.
TURN, STRIKE, BALLOT = "turn", "veto", "vote"

#: What teams are called unless other names are given.
COLOURS = ("red", "blue", "green", "gold")

#: What people say of an evening: they are there, perhaps, later, or not.
IN, MAYBE, LATER, OUT = "in", "maybe", "late", "out"


@dataclass(frozen=True, slots=True)
class EveningLobby:
    """What people gather for, and how teams, maps and results come about there.

    Parameters
    ----------
    name : str
        What it is called; no two lobbies of an evening are called alike.
    teams : int
        How many teams.
    size : int or None
        How many play in each team; None where all who are there play.
    ruleset : Ruleset
        What is played.
    maps : tuple of str
        Where it may be played.
    veto : bool
        Whether the sides strike maps until one is left.
    ready, vote, contradict : float
        Seconds for each of them; 0 where nobody is asked.
    ballot : bool
        Whether everyone votes on maps; without that and a veto they come in turn.
    called : bool
        Whether teams are made when somebody asks for them, of those who are there and stay there after the
        game; otherwise a game begins as soon as enough wait.
    channel : str
        Where its people talk; empty where there is only one such place.
    """

    name: str
    teams: int = 2
    size: int | None = 5
    ruleset: Ruleset = field(default_factory=Ruleset)
    maps: tuple[str, ...] = ()
    veto: bool = False
    ready: float = READY
    vote: float = VOTE
    contradict: float = CONTRADICT
    ballot: bool = False
    called: bool = False
    channel: str = ""

    def __post_init__(self) -> None:
        if self.teams < 2 or (self.size is not None and self.size < 1):
            msg = f"lobby {self.name!r}: it needs 2 teams of 1 at least, got {self.teams} of {self.size}"
            raise InputError(msg)
        if self.size is None and not self.called:
            msg = f"lobby {self.name!r}: only where teams are called for may everyone play"
            raise InputError(msg)
        if self.veto and self.ballot:
            msg = f"lobby {self.name!r}: maps are found by a veto or by a vote, not both"
            raise InputError(msg)
        if (self.veto or self.ballot) and len(self.maps) < 2:
            what = "veto" if self.veto else "vote"
            msg = f"lobby {self.name!r}: a {what} needs 2 maps at least, got {len(self.maps)}"
            raise InputError(msg)

    @property
    def seats(self) -> int:
        """How many play; 0 where that depends on who is there."""
        return self.teams * (self.size or 0)


def night_lobby(name: str = "night") -> EveningLobby:
    """Return a lobby where whoever runs the evening decides: no waiting, no votes unless they are cast."""
    return EveningLobby(name, size=None, ready=0.0, vote=0.0, contradict=0.0, called=True)


@dataclass(frozen=True, slots=True)
class Setup:
    """Who is here, and what holds for every division of them.

    Parameters
    ----------
    here : tuple of str
        Ids, in the order they came.
    duos : tuple of tuples of str
        Who stays together; of those who are not here, nothing follows.
    apart : tuple of (str, str)
        Who does not play together.
    teams : int
        How many teams.
    size : int, optional
        How many play in a team at most; others sit out.  By default everyone plays.
    names : tuple of str
        What the teams are called.
    prefer, avoid : tuple of (str, str)
        Pairs that prefer to play together, and pairs that prefer not to.
    fixed : tuple of (str, int)
        Who is locked into which team, from 0.
    roles : tuple of (str, int)
        How many of each role every team needs.
    plays : tuple of (str, tuple of str)
        Which roles somebody plays; who is not listed plays all.
    """

    here: tuple[str, ...] = ()
    duos: tuple[tuple[str, ...], ...] = ()
    apart: tuple[tuple[str, str], ...] = ()
    teams: int = 2
    size: int | None = None
    names: tuple[str, ...] = ()
    prefer: tuple[tuple[str, str], ...] = ()
    avoid: tuple[tuple[str, str], ...] = ()
    fixed: tuple[tuple[str, int], ...] = ()
    roles: tuple[tuple[str, int], ...] = ()
    plays: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def called(self, team: int) -> str:
        """Return what a team, from 0, is called."""
        if team < len(self.names):
            return self.names[team]
        return COLOURS[team] if self.teams <= len(COLOURS) else f"team {team + 1}"


@dataclass(frozen=True, slots=True)
class Proposal:
    """Teams that are proposed, or being played.

    Parameters
    ----------
    id : str
        The id that the match will have.
    teams : tuple of tuples of str
        Ids.
    chances : tuple of float
        Each team's win probability.
    out : tuple of str
        Who sits out.
    moved : tuple of str
        Who had been in another team.
    unmet : tuple of (str, str)
        Pairs whose preference is not met.
    """

    id: str
    teams: Teams
    chances: tuple[float, ...]
    out: tuple[str, ...] = ()
    moved: tuple[str, ...] = ()
    unmet: tuple[tuple[str, str], ...] = ()

    @property
    def parted(self) -> frozenset[frozenset[str]]:
        """Who is together, whatever the teams are called."""
        return frozenset(map(frozenset, self.teams))


# What happens: people


@dataclass(frozen=True, slots=True)
class Open:
    """A lobby is there, or its settings are other ones from now on."""

    lobby: EveningLobby


@dataclass(frozen=True, slots=True)
class Gather:
    """People gather in a lobby where teams are called for: who is here, and what holds from now on.

    With ``fresh`` an evening begins: teams of earlier ones may come again.  ``spelled`` is how people are
    written, by id, ``weights`` are starting weights of those who have one.  ``ask`` asks for teams at once;
    ``vary`` is the price of meeting again for them.  ``rounds`` are teams that were found already, of this
    game and of those that follow; they take the place of asking.
    """

    lobby: str
    setup: Setup
    spelled: Mapping[str, str] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)
    fresh: bool = True
    ask: bool = True
    vary: float | None = None
    rounds: tuple[Proposal, ...] = ()
    who: str = ""


@dataclass(frozen=True, slots=True)
class Attend:
    """Somebody is there, or perhaps, or later, or not (``state``); teams change as little as they can."""

    lobby: str
    players: tuple[str, ...]
    state: str = IN
    duos: Teams = ()
    spelled: Mapping[str, str] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)
    who: str = ""


@dataclass(frozen=True, slots=True)
class Substitute:
    """Somebody comes in for another, who leaves, or sits out where the first was there and sat out.

    With ``leaves`` the other one leaves then too.
    """

    lobby: str
    player: str
    instead: str
    spelled: Mapping[str, str] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)
    who: str = ""
    leaves: bool = False


@dataclass(frozen=True, slots=True)
class SetRoles:
    """Which roles some play (none listed is all), and how many of each every team needs, if that changes."""

    lobby: str
    plays: tuple[tuple[str, tuple[str, ...]], ...] = ()
    needs: tuple[tuple[str, int], ...] | None = None
    who: str = ""


@dataclass(frozen=True, slots=True)
class Reweighed:
    """Starting weights were chosen elsewhere: those of the events so far no longer hold."""


@dataclass(frozen=True, slots=True)
class Add:
    """Somebody waits in a lobby."""

    who: str
    lobby: str


@dataclass(frozen=True, slots=True)
class Leave:
    """Somebody waits no longer in a lobby, or in any where none is named; who is in a game asks to go."""

    who: str
    lobby: str = ""


@dataclass(frozen=True, slots=True)
class Remove:
    """Somebody in charge takes a player out of all lobbies."""

    who: str
    player: str
    admin: bool = False


@dataclass(frozen=True, slots=True)
class Late:
    """Somebody who is asked to be ready needs more time."""

    who: str


@dataclass(frozen=True, slots=True)
class Duo:
    """Somebody plays with another, once that one says so too; with nobody, alone again."""

    who: str
    other: str = ""


@dataclass(frozen=True, slots=True)
class Prefer:
    """Somebody prefers to play with another (``"prefer"``), without (``"avoid"``), or no longer minds."""

    who: str
    other: str
    kind: str


@dataclass(frozen=True, slots=True)
class Ready:
    """Somebody is ready to play."""

    who: str


@dataclass(frozen=True, slots=True)
class Sub:
    """Somebody in a game asks for a substitute."""

    who: str


@dataclass(frozen=True, slots=True)
class Fill:
    """Somebody takes the place of another who asked for a substitute, of anyone where nobody is named."""

    who: str
    instead: str = ""


# What happens: teams and maps


@dataclass(frozen=True, slots=True)
class Call:
    """Teams are asked for, of those who are there: others than before, or ``same`` ones once more."""

    lobby: str
    same: bool = False
    vary: float | None = None
    who: str = ""


@dataclass(frozen=True, slots=True)
class Divided:
    """The answer to :class:`Divide`; no teams where there are none that keep the rules.

    ``price`` is that of meeting again: teams that were seen come only where no others lie within it.
    """

    game: str
    teams: Teams
    chances: tuple[float, ...] = ()
    price: float = 0.0
    out: tuple[str, ...] = ()
    moved: tuple[str, ...] = ()
    unmet: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Judged:
    """The answer to :class:`Judge`: how likely each team is to win."""

    game: str
    chances: tuple[float, ...]
    unmet: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Vote:
    """Somebody votes: on teams ``"yes"``, ``"no"`` (others) or ``"captains"``, on maps the name of one."""

    who: str
    choice: str
    lobby: str = ""


@dataclass(frozen=True, slots=True)
class Captains:
    """Captains pick the teams: these, one for each team."""

    lobby: str
    captains: tuple[str, ...]
    who: str = ""


@dataclass(frozen=True, slots=True)
class Pick:
    """A captain picks a player; where nobody acts, for the captain whose turn it is."""

    who: str
    player: str
    lobby: str = ""


@dataclass(frozen=True, slots=True)
class SwapPlayers:
    """Two change places by hand: of two teams, or one who plays and one who sits out."""

    lobby: str
    one: str
    other: str
    who: str = ""


@dataclass(frozen=True, slots=True)
class Lock:
    """Players keep their present team in the next teams too, all where nobody is named; ``on`` or no more."""

    lobby: str
    players: tuple[str, ...] = ()
    on: bool = True
    who: str = ""


@dataclass(frozen=True, slots=True)
class Maps:
    """A lobby has these maps from now on; one is found ``by`` turn, veto or vote."""

    lobby: str
    maps: tuple[str, ...]
    by: str = TURN
    who: str = ""


@dataclass(frozen=True, slots=True)
class Veto:
    """A side strikes a map; where nobody acts, the side whose turn it is."""

    who: str
    map: str
    lobby: str = ""


@dataclass(frozen=True, slots=True)
class SetTeams:
    """Exactly these teams, of those who are there; whoever is in none of them sits out."""

    lobby: str
    teams: Teams
    who: str = ""


@dataclass(frozen=True, slots=True)
class SitOut:
    """Somebody who is there and plays sits out this game."""

    lobby: str
    player: str
    who: str = ""


@dataclass(frozen=True, slots=True)
class Begin:
    """The game begins: its teams stay as they are, whoever comes or goes, until it has a result."""

    lobby: str
    who: str = ""


# What happens: results, and what is taken back


@dataclass(frozen=True, slots=True)
class Report:
    """Somebody reports how the game ended: a rank for each team, lower is better.

    ``scores`` where somebody counted, ``at`` when it ended (seconds since 1970; None for now), and ``game``
    the id that is meant where that is not sure.
    """

    who: str
    ranks: tuple[float, ...]
    scores: tuple[float, ...] = ()
    lobby: str = ""
    game: str = ""
    at: float | None = None


@dataclass(frozen=True, slots=True)
class Confirm:
    """A player of another side says that what was reported is true."""

    who: str


@dataclass(frozen=True, slots=True)
class Correct:
    """Somebody in charge says how a game ended, whatever was reported."""

    who: str
    game: str
    ranks: tuple[float, ...]
    admin: bool = False
    scores: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Undo:
    """The last step is taken back, whatever it was: of a game, or of a lobby where teams are called for.

    There, those who came or went by themselves since then have still done so, and ``step`` is the number of
    another step: the last one but for these, or somebody's own coming or going.
    A result that counts is taken back by somebody in charge, or once a player of each side says so.
    """

    who: str
    game: str = ""
    admin: bool = False
    lobby: str = ""
    step: int = 0


@dataclass(frozen=True, slots=True)
class Redo:
    """What was taken back last, where teams are called for, is as it was, if nothing was done since."""

    lobby: str
    who: str = ""
    admin: bool = False


@dataclass(frozen=True, slots=True)
class Counted:
    """A result was excluded from the ratings of the archive, or included again, by another way than this."""

    game: str
    counts: bool


@dataclass(frozen=True, slots=True)
class SamePerson:
    """Two ids are one person from now on, who counts under the second; with ``back`` they are two again."""

    player: str
    into: str
    back: bool = False


@dataclass(frozen=True, slots=True)
class Cancel:
    """Somebody in charge calls a game off."""

    who: str
    game: str
    admin: bool = False


@dataclass(frozen=True, slots=True)
class Tick:
    """Time has passed."""


Event = (
    Open | Gather | Attend | Substitute | SetRoles | Reweighed | Add | Leave | Remove | Late | Duo | Prefer
    | Ready | Sub | Fill | Call | Divided | Judged | Vote | Captains | Pick | SwapPlayers | Lock | SetTeams
    | SitOut | Begin | Maps | Veto | Report | Confirm | Correct | Undo | Redo | Counted | SamePerson | Cancel
    | Tick
)  # fmt: skip

KINDS: Mapping[str, type[Event]] = {
    kind.__name__.lower(): kind
    for kind in (Open, Gather, Attend, Substitute, SetRoles, Reweighed, Add, Leave, Remove, Late, Duo, Prefer,
                 Ready, Sub, Fill, Call, Divided, Judged, Vote, Captains, Pick, SwapPlayers, Lock, Maps,
                 SetTeams, SitOut, Begin, Veto, Report, Confirm, Correct, Undo, Redo, Counted, SamePerson,
                 Cancel, Tick)
}  # fmt: skip

#: Answers to a command: they belong to the step that asked.
ANSWERS = (Divided, Judged)


# Commands


@dataclass(frozen=True, slots=True)
class Divide:
    """Find teams and answer with :class:`Divided`.

    They are none of those that were seen while others lie within the price of meeting again (``vary``, or
    the usual one).  With ``now``, the team of those who have one, they change as little as they can, and with
    ``still`` nobody is moved as long as that keeps the rules.
    """

    game: str
    setup: Setup
    seen: frozenset[frozenset[frozenset[str]]]
    now: Mapping[str, int] | None = None
    still: bool = False
    vary: float | None = None


@dataclass(frozen=True, slots=True)
class Judge:
    """Say how likely each team is to win, of teams that people made; answer with :class:`Judged`."""

    game: str
    setup: Setup
    teams: Teams


@dataclass(frozen=True, slots=True)
class Keep:
    """Keep a result; one that was kept before under the same id is corrected by it."""

    game: str
    lobby: str
    teams: Teams
    ranks: tuple[float, ...]
    map: str
    parties: Teams
    picks: tuple[tuple[str, str], ...] = ()
    scores: tuple[float, ...] = ()
    at: float | None = None


@dataclass(frozen=True, slots=True)
class TakeBack:
    """A result no longer counts."""

    game: str


@dataclass(frozen=True, slots=True)
class Notice:
    """Something to say: to these players, or to everyone in the lobby where nobody is named.

    Parameters
    ----------
    kind : str
        What happened; :mod:`equipoise.pages.text.evening` has the words.
    lobby : str
        Where; empty where it is of none.
    to : tuple of str
        Whom it is for.
    facts : mapping
        What there is to say of it.
    """

    kind: str
    lobby: str = ""
    to: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)


Command = Divide | Judge | Keep | TakeBack | Notice


@dataclass(frozen=True, slots=True)
class ChatPlace:
    """A place in a game that is kept for somebody in a chat without accounts.

    Parameters
    ----------
    nick : str
        What they are called there; empty where they have left.
    sign : str
        When their connection began, as the server writes it; empty where unknown.
    """

    nick: str = ""
    sign: str = ""


def as_plain(event: Event) -> dict[str, Any]:
    """Return an event as plain data.

    Examples
    --------
    >>> as_plain(Add("ann", "ctf"))
    {'type': 'add', 'who': 'ann', 'lobby': 'ctf'}
    """
    return {"type": type(event).__name__.lower(), **event_codec.as_plain(event)}


def from_plain(data: Mapping[str, Any]) -> Event:
    """Return the event of plain data.

    Raises
    ------
    InputError
        If it is none.
    """
    kind = KINDS.get(data.get("type", ""))
    if kind is None:
        msg = f"event: there is no {data.get('type')!r:.40}; allowed: {', '.join(KINDS)}"
        raise InputError(msg)
    given = {name: value for name, value in data.items() if name != "type"}
    return event_codec.from_plain(kind, given, f"event: {data['type']}")


#: The fields of events, setups and proposals that hold ids, alone or in lists; others are words or numbers.
ID_FIELDS = frozenset((
    "who", "player", "players", "other", "one", "instead", "captains", "here", "duos", "apart", "prefer",
    "avoid", "fixed", "teams", "out", "moved", "unmet",
))  # fmt: skip


def of_people(value: T, one: One) -> T:
    """Return an event, setup, proposal or question under the ids that count for people, each of them once.

    Examples
    --------
    >>> both = Attend("ctf", ("ann", "ann2"), spelled={"ann2": "Ann"})
    >>> came = of_people(both, lambda player: player.rstrip("2"))
    >>> came.players, came.spelled
    (('ann',), {'ann': 'Ann'})
    """
    changes = {}
    for each in fields(value):  # type: ignore[arg-type]
        before = getattr(value, each.name)
        after = _of_people(each.name, before, one)
        if after != before:
            changes[each.name] = after
    return replace(value, **changes) if changes else value  # type: ignore[type-var]


def _of_people(field: str, value: Any, one: One) -> Any:
    if field == "setup":
        return of_people(value, one)
    if field in ("rounds", "plan"):
        return tuple(of_people(each, one) for each in value)
    if field in ("spelled", "weights", "now"):
        return None if value is None else {one(player): each for player, each in value.items()}
    if field == "plays":
        return tuple({one(player): roles for player, roles in value}.items())
    if field == "fixed":
        return tuple({one(player): team for player, team in reversed(value)}.items())[::-1]
    if field == "seen":
        return frozenset(parted_of(each, one) for each in value)
    if field not in ID_FIELDS:
        return value
    if isinstance(value, str):
        return one(value) if value else value
    if not isinstance(value, tuple):
        return value  # how many teams
    if field in ("duos", "apart", "prefer", "avoid", "unmet"):
        together = (tuple(dict.fromkeys(map(one, each))) for each in value)
        return tuple(each for each in together if len(each) > 1)
    if field == "teams":
        return teams_of(value, one)
    return tuple(dict.fromkeys(map(one, value)))


def teams_of(teams: Teams, one: One) -> Teams:
    """Return teams under the ids that count for people: who was in two places keeps the first.

    Examples
    --------
    >>> teams_of((("ann", "bob"), ("cid", "ann2")), lambda player: player.rstrip("2"))
    (('ann', 'bob'), ('cid',))
    """
    placed: dict[str, int] = {}
    for n, team in enumerate(teams):
        for player in team:
            placed.setdefault(one(player), n)
    return tuple(
        tuple(dict.fromkeys(each for each in map(one, team) if placed[each] == n))
        for n, team in enumerate(teams)
    )


def parted_of(parted: Iterable[Iterable[str]], one: One) -> frozenset[frozenset[str]]:
    """Return who was together under the ids that count for people."""
    return frozenset(frozenset(map(one, team)) for team in parted)


def with_other_ids(plain: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Return plain data with other ids for some players, and without any name of theirs.

    Examples
    --------
    >>> with_other_ids({"type": "add", "who": "ctf", "lobby": "ctf"}, {"ctf": "x"})
    {'type': 'add', 'who': 'x', 'lobby': 'ctf'}
    """
    return {field: _other(field, value, names) for field, value in plain.items()}


def _other(field: str, value: Any, names: Mapping[str, str]) -> Any:
    if field == "spelled":
        return {names.get(player, player): names.get(player, name) for player, name in value.items()}
    if field in ("weights", "now"):
        return {names.get(player, player): each for player, each in (value or {}).items()}
    if field == "plays":
        return [[names.get(player, player), roles] for player, roles in value]
    if isinstance(value, Mapping):
        return with_other_ids(value, names)
    if field in ("rounds", "plan"):
        return [with_other_ids(each, names) for each in value]
    return listed_other(value, names) if field in ID_FIELDS else value


def listed_other(value: Any, names: Mapping[str, str]) -> Any:
    """Return an id, or lists of ids, under other names; numbers stay as they are."""
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, Iterable) and not isinstance(value, Mapping):
        return [listed_other(each, names) for each in value]
    return value
