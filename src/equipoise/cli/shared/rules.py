"""Rules and preferences as they are typed: names, groups of names, teams, prices, roles."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from equipoise.cli.shared.asking import RECENT_PRICE
from equipoise.errors import InputError

if TYPE_CHECKING:
    from equipoise.players import Player
    from equipoise.teams.problem.preferences import Preference


def fixed_teams(values: tuple[str, ...]) -> dict[str, int]:
    """Return the team, from 0, of each ``NAME=TEAM``."""
    fixed: dict[str, int] = {}
    for value in values:
        who, _, team = value.rpartition("=")
        if not who or not re.fullmatch(r"0*[1-9][0-9]{0,3}", team.strip()):
            msg = f"--fix: {value!r} is not NAME=TEAM with teams counted from 1; write --fix 'Ann=1'"
            raise InputError(msg)
        if fixed.setdefault(who.strip(), int(team) - 1) != int(team) - 1:
            msg = f"--fix: {who.strip()!r} is fixed to more than one team"
            raise InputError(msg)
    return fixed


def names_of(value: str) -> list[str]:
    """Return the names in ``A,B``, quoted as in CSV where a name has a comma."""
    cells = " ".join(value.split())  # a name has no line breaks, but a shell may pass some
    return [name.strip() for name in next(csv.reader([cells], skipinitialspace=True), [])]


def groups(option: str, values: tuple[str, ...]) -> list[list[str]]:
    """Return the names of each ``A,B``."""
    found = []
    for value in values:
        names = names_of(value)
        if len(names) < 2 or not all(names):
            msg = f"{option}: {value!r} does not name two players or more; write {option} 'Ann,Bob'"
            raise InputError(msg)
        found.append(names)
    return found


def preference_arguments(options: Mapping[str, Any], players: Sequence[Player]) -> dict[str, Any]:
    """Return the arguments of ``balance`` for preferences, roles and rules."""
    from equipoise.fields import price_of

    preferences = [
        *_preferences("together", options, players),
        *_preferences("apart", options, players),
        *_recent(options, players),
    ]
    keywords: dict[str, Any] = {"preferences": preferences} if preferences else {}
    if options["side_price"] is not None:
        keywords["side_price"] = price_of(options["side_price"], "price", "--side-price")
    if options["stay"] is not None:
        keywords["stay"] = price_of(options["stay"], "price", "--stay")
    if options["roles"] is not None:
        keywords["roles"] = _counted(options["roles"])
    if options["rules"] is not None:
        from equipoise.files.rules import read_rules

        keywords["rules"] = read_rules(options["rules"])
    return keywords


def _preferences(kind: str, options: Mapping[str, Any], players: Sequence[Player]) -> list[Preference]:
    from equipoise.fields import price_of
    from equipoise.teams.problem.preferences import PREFERENCE_PRICE, Preference
    from equipoise.teams.problem.roster import Roster

    option = {"together": "prefer", "apart": "avoid"}[kind]
    roster, preferences = Roster(tuple(players), None, 0), []
    for value in options[option]:
        named, equals, price = value.rpartition("=")
        worth = PREFERENCE_PRICE
        if equals and (price.strip()[:1].isdigit() or price.strip()[:1] in ".+-"):
            worth = price_of(price, "price", f"--{option}")
        else:
            named = value
        for names in groups(f"--{option}", (named,)):
            roster.find_each(f"--{option}", names)
            preferences.append(Preference(kind, tuple(names), worth))
    return preferences


def _recent(options: Mapping[str, Any], players: Sequence[Player]) -> list[Preference]:
    if options["recent"] is None:
        if options["recent_price"] is not None:
            msg = "--recent-price requires --recent, a file of matches"
            raise InputError(msg)
        return []
    from equipoise.fields import price_of
    from equipoise.files.matches import read_matches
    from equipoise.matches import Match, Skipped
    from equipoise.teams.problem.preferences import recent_preferences

    here = {player.id for player in players}
    matches, skipped = [], False
    for match in read_matches(options["recent"]):
        if isinstance(match, Match):
            matches.append(match)
        elif isinstance(match, Skipped):
            skipped = True
            click.echo(f"{match.where}: {match.reason}", err=True)
    if skipped and not matches:
        msg = f"--recent: {options['recent']}: no match found; docs/match-files.md describes the format"
        raise InputError(msg)
    typed = RECENT_PRICE if options["recent_price"] is None else options["recent_price"]
    price = price_of(typed, "price", "--recent-price")
    return recent_preferences(matches, here, price)


def _counted(value: str) -> dict[str, int]:
    """Return how many of each role a team needs."""
    roles: dict[str, int] = {}
    for part in value.split(","):
        role, colon, number = part.strip().rpartition(":")
        if not colon or not role or not number.strip().isdecimal() or role.strip() in roles:
            msg = f"--roles: {part.strip()!r} is not ROLE:NUMBER once each; write --roles tank:1,damage:2"
            raise InputError(msg)
        roles[role.strip()] = int(number)
    return roles
