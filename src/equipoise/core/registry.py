"""Names of replaceable parts: from a name to ``"module:attribute"``, resolved when used.

Only the names and their look-up live here; nothing here imports a part before it is asked for.
The registries are also the parameter lists of the tests: whatever is registered is held to the laws of its
kind. Installed packages add parts by entry points, see :mod:`equipoise.extending`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType, ModuleType
from typing import Any

from equipoise.core.installed_parts import installed_parts
from equipoise.errors import EquipoiseError, InputError, UnknownNameError


def joined(kind: str, ours: Mapping[str, str]) -> Mapping[str, str]:
    """Return the parts of one kind by name: those of installed packages, which are asked first, and ours.

    Parameters
    ----------
    kind : str
        The kind: packages register theirs as entry points of the group ``equipoise.KIND``.
    ours : mapping from str to str
        From names to ``"module:attribute"``; no package can take one of these names.
    """
    theirs = installed_parts().get(kind, {})
    return MappingProxyType({**{name: theirs[name] for name in theirs if name not in ours}, **ours})


_OBJECTIVES = "equipoise.teams.objectives"
_SOLVERS = "equipoise.teams.solvers"
_LOBBY_SOLVERS = "equipoise.lobbies"

#: What makes one split fairer than another: ``Objective`` factories,
#: see :mod:`equipoise.teams.objectives.objective`.
OBJECTIVES: Mapping[str, str] = joined(
    "objectives",
    {
        "difference": f"{_OBJECTIVES}.moments:difference",
        "ratio": f"{_OBJECTIVES}.moments:ratio",
        "win": f"{_OBJECTIVES}.moments:win",
        "indistinguishable": f"{_OBJECTIVES}.indistinguishable:indistinguishable",
        "spread": f"{_OBJECTIVES}.moments:spread",
    },
)

#: What reads rows of data by their titles, as it reads tables: a function of rows, place and choices.
ROW_READERS: Mapping[str, str] = {"titles": "equipoise.files.table_columns:rows_by_titles"}

#: What may stand for an objective besides, for those who weigh it against one: it says nothing of fairness.
TERMS: Mapping[str, str] = joined(
    "terms",
    {
        "preferences": f"{_OBJECTIVES}.composed:preferences",
        "moves": f"{_OBJECTIVES}.composed:moves",
    },
)

#: How the best splits are found, in the order in which ``auto`` asks whether they suit; records, see
#: :class:`equipoise.teams.solvers.task.Solver`.
SOLVERS: Mapping[str, str] = joined(
    "solvers",
    {
        "enumerate": f"{_SOLVERS}.enumerate:SOLVER",
        "fold": f"{_SOLVERS}.fold:SOLVER",
        "nearby": f"{_SOLVERS}.nearby:SOLVER",
        "bitset": f"{_SOLVERS}.bitset:SOLVER",
        "lattice": f"{_SOLVERS}.lattice:SOLVER",
        "mitm": f"{_SOLVERS}.meet_in_the_middle:SOLVER",
        "window": f"{_SOLVERS}.window:SOLVER",
        "resplit": f"{_SOLVERS}.pairwise:SOLVER",
        "anneal": f"{_SOLVERS}.anneal:ANNEAL",
        "climb": f"{_SOLVERS}.anneal:CLIMB",
        "exchange": f"{_SOLVERS}.exchange:SOLVER",
        "alternate": f"{_SOLVERS}.draft:ALTERNATE",
        "snake": f"{_SOLVERS}.draft:SNAKE",
        "greedy": f"{_SOLVERS}.draft:GREEDY",
        "greedy-cap": f"{_SOLVERS}.draft:GREEDY_CAP",
    },
)

#: How lobbies are filled, see :mod:`equipoise.lobbies`.
LOBBY_SOLVERS: Mapping[str, str] = joined(
    "lobby_solvers",
    {
        "exact": f"{_LOBBY_SOLVERS}.exact:solve",
        "large": f"{_LOBBY_SOLVERS}.large:solve",
        "paper": f"{_LOBBY_SOLVERS}.paper:solve",
    },
)

#: Criteria that are not additive over a team and so re-rank the best splits that were found.
RERANKERS: Mapping[str, str] = joined(
    "rerankers",
    {
        "quantile": "equipoise.teams.objectives.composed:quantile_distance",
        "strongest": "equipoise.teams.objectives.composed:strongest_difference",
    },
)

#: Rules that installed packages add to what can be asked of a split: classes made of
#: :class:`equipoise.teams.explain.asked_rules.AddedRule`.  Ours are in the table of the request's fields.
RULES: Mapping[str, str] = joined("rules", {})

_MODELS = "equipoise.ratings.models"

#: What learns ratings from contests: frozen dataclasses, see :mod:`equipoise.ratings.model`.
MODELS: Mapping[str, str] = joined(
    "models",
    {
        "default": f"{_MODELS}.gaussian_filter.mixture:Mixture",
        "gaussian-filter": f"{_MODELS}.gaussian_filter.model:GaussianFilter",
        "elo": f"{_MODELS}.elo:Elo",
        "glicko2": f"{_MODELS}.glicko2:Glicko2",
        "bradley-terry": f"{_MODELS}.weng_lin:BradleyTerry",
        "plackett-luce": f"{_MODELS}.weng_lin:PlackettLuce",
        "trueskill": f"{_MODELS}.trueskill:TrueSkill",
    },
)

_GAMES = "equipoise.games"

#: What reads the logs of a game: :class:`equipoise.games.log_reader.Game` objects, one file each.
GAMES: Mapping[str, str] = joined(
    "games",
    {
        "quake3": f"{_GAMES}.quake3.reader:GAME",
        "urbanterror": f"{_GAMES}.urbanterror.reader:GAME",
        "xonotic": f"{_GAMES}.xonotic.reader:GAME",
        "nexuiz": f"{_GAMES}.nexuiz.reader:GAME",
        "ut2004": f"{_GAMES}.ut2004.reader:GAME",
        "halflife": f"{_GAMES}.halflife.reader:GAME",
        "quakelive": f"{_GAMES}.quakelive.reader:GAME",
        "teeworlds": f"{_GAMES}.teeworlds.reader:GAME",
        "etlegacy": f"{_GAMES}.etlegacy.reader:GAME",
        "plain": f"{_GAMES}.plain.reader:GAME",
    },
)

#: Servers that can be balanced while they run, by game:
#: :class:`equipoise.games.server_adapter.ServerFamily` records.
SERVERS: Mapping[str, str] = joined(
    "servers",
    {
        "openarena": f"{_GAMES}.quake3.live_server:SERVER",
        "quake3": f"{_GAMES}.quake3.live_server:SERVER",
        "nexuiz": f"{_GAMES}.nexuiz.live_server:SERVER",
        "teeworlds": f"{_GAMES}.teeworlds.live_server:SERVER",
        "tf2": f"{_GAMES}.halflife.live_server:TEAM_FORTRESS",
        "cs2": f"{_GAMES}.halflife.live_server:COUNTER_STRIKE_2",
        "csgo": f"{_GAMES}.halflife.live_server:GLOBAL_OFFENSIVE",
    },
)


#: The modules of parts that were named as ``"module:attribute"``, and by which name.
_NAMED: dict[str, str] = {}


def part_at_fault(error: BaseException) -> str | None:
    """Return the name of the custom part that an exception comes from, None where no custom part is used.

    It is the one whose code raised the exception; where none did, as what a part returned was of no use, it
    is the last one that was asked for.
    """
    at, found = error.__traceback__, next(reversed(_NAMED.values()), None)
    while at is not None:
        found = _NAMED.get(at.tb_frame.f_globals.get("__name__", ""), found)
        at = at.tb_next
    return found


def call_part(kind: str, part: Any, function: Any, argument: Any) -> Any:
    """Call a part, turning whatever one that was named as ``"module:attribute"`` raises into a message.

    A part that was passed itself raises what it raises: its author is calling.

    Parameters
    ----------
    kind : str
        What it is called as, in the singular; used in messages.
    part : str or object
        How the caller named it.
    function : callable
        The part itself.
    argument : object
        What it is called with.

    Raises
    ------
    InputError
        If a part named as ``"module:attribute"`` raises anything else than an EquipoiseError.
    """
    if not (isinstance(part, str) and ":" in part):
        return function(argument)
    try:
        return function(argument)
    except EquipoiseError:
        raise
    except Exception as error:
        msg = f": {part!r} fails with {type(error).__name__}: {error}"
        raise InputError(msg, kind) from error


@cache
def _imported(module: str) -> ModuleType:
    """Import a module once: to ask Python whether it is there takes a while."""
    return import_module(module)


def resolve(kind: str, registry: Mapping[str, str], part: Any) -> Any:
    """Return the part that a name stands for.

    Parameters
    ----------
    kind : str
        What is looked for, in the singular; used in messages.
    registry : mapping of str to str
        One of the dicts of this module.
    part : str or object
        A registered name, ``"module:attribute"`` for a part of the caller's own, or the part itself,
        which is returned as it is.

    Raises
    ------
    UnknownNameError
        If the name is not registered or its module or attribute does not exist.

    Examples
    --------
    >>> resolve("objective", {"parse": "json:loads"}, "parse")("[1]")
    [1]
    """
    if not isinstance(part, str):
        return part
    path = registry.get(part, part)
    module, colon, attribute = path.partition(":")
    if not colon:
        raise UnknownNameError(kind, part, registry)
    if part not in registry or not module.startswith("equipoise."):
        _NAMED[module] = part
    try:
        return getattr(_imported(module), attribute)
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        if part in registry and module.startswith("equipoise."):
            raise
        raise UnknownNameError(kind, part, registry) from error
