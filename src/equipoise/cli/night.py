"""``equipoise night``: a night of games from names to teams, results, and better teams next time."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from equipoise.cli import archive_options, night_names
from equipoise.cli.balance import end_interrupted, interruptible
from equipoise.cli.night_web import links, web
from equipoise.cli.output_options import Number, Whole, table, table_forms
from equipoise.cli.roster_options import read_option
from equipoise.errors import InputError
from equipoise.identity.roster_lookup import RosterLookup
from equipoise.service.night import resolved

if TYPE_CHECKING:
    from equipoise.files.pasted_names import Entry
    from equipoise.play.night import Setup
    from equipoise.play.proposals import Arranged
    from equipoise.service.night import Evening

#: A score as it is typed, and what stands between its numbers.
SCORE = re.compile(r"-?\d+(?:\.\d+)?(?:\s*[:\s]\s*-?\d+(?:\.\d+)?)+")
SCORE_PARTS = re.compile(r"\s*[:\s]\s*")

#: The step that names alone stand for.
GATHER = "teams"

#: So few names are hardly those of a night: the first one may be a step that is misspelt.
FEW = 2


class NightGroup(click.Group):
    """A group in which names without a step before them are the step to teams."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the step first: ``--json won red`` is ``won --json red``, names alone are ``teams``."""
        if "--web" in args:
            args = ["web", *(each for each in args if each != "--web")]
        n = 0
        while n < len(args) and args[n].startswith("-") and args[n] not in ("-", "--", "-h", "--help"):
            n += 2 if args[n] == "--store" else 1
        if n < len(args) and args[n] in self.commands:
            args = [args[n], *args[:n], *args[n + 1 :]]
        elif {"-h", "--help"} & set(args):
            args = ["--help"]
        elif args:
            args = [GATHER, *args]
        return super().parse_args(ctx, args)


#: The description of all steps; the lines after the mark of click stand as they are.
HELP = """Run a night of games: names in, teams out, results back, better teams.

\b
equipoise night Amber Birch "Cedar + Dahlia" Elm  teams of who is here
equipoise night - < paste.txt                     the same from a paste
equipoise night result red                        how it ended: or draw, 3:1
equipoise night again                             new teams of the same people
equipoise night --web                             the evening in everybody's browser

Names and their spelling, starting weights and who plays apart are remembered.
'night undo' takes back a step.
"""


@click.group(name="night", cls=NightGroup, subcommand_metavar="NAMES...|STEP", help=HELP)
def command() -> None:
    """Run a night of games."""


new_option = click.option(
    "--new", multiple=True, metavar="NAME",
    help="Somebody new whose name is similar to another's.  Repeatable.",
)  # fmt: skip
vary_option = click.option(
    "--vary", metavar="PRICE", default="0.5%", show_default=True,
    help="The price of meeting again, in win probability: of two people in one team, and of whole teams.",
)  # fmt: skip


@archive_options.step(GATHER)
@click.argument("names", nargs=-1, metavar="NAMES...|-")
@read_option
@new_option
@night_names.who_option
@vary_option
@click.option("--teams", type=Whole(2, 99), default=2, show_default=True, help="How many teams.")
@click.option("--size", type=Whole(1), metavar="N", help="At most N play in a team; others sit out.")
@click.option("--names", "called", metavar="A,B", help="What to call the teams.  [default: red,blue]")
@click.option(
    "--apart", multiple=True, metavar="A,B", help="Never in the same team, tonight and later.  Repeatable."
)
@click.option("--not-apart", multiple=True, metavar="A,B", help="Undo --apart.  Repeatable.")
@click.option(
    "--prefer", multiple=True, metavar="A,B", help="In the same team if that costs little.  Repeatable."
)
@click.option(
    "--avoid", multiple=True, metavar="A,B", help="In different teams if that costs little.  Repeatable."
)
@click.option("--no-matter", multiple=True, metavar="A,B", help="Undo --prefer or --avoid.  Repeatable.")
@table_forms
def gather(names: tuple[str, ...], store: str | None, **options: Any) -> None:
    """Make teams of everyone who is here.

    NAMES are arguments, or - for a paste.  "Amber + Birch" stay together, "Cedar 1500" begins at a weight.
    """
    with searching(store, options["who"]) as evening:
        known = evening.people()
        _refuse_misspelt_step(names, options["new"], known)
        entries = night_names.entries_of(names, options["read"], known, command.commands)
        ids = resolved(known, [entry.name for entry in entries], options["new"], evening.ask)
        step = secrets.token_hex(6)
        setup = _setup(evening, entries, ids, options)
        evening.weigh(entries, ids, step)
        spelled = evening.spellings(ids)
        evening.night = replace(evening.night, spelled={**evening.night.spelled, **spelled})
        arranged = evening.arrange(setup, vary=_price(options["vary"]))
        evening.propose(setup, arranged.proposal, spelled, fresh=True, step=step)
        if known.last_names:  # else everybody is
            _tell_newcomers(known, ids)
        _tell_teams(evening, arranged, options["as_json"], options.get("form"))


def _refuse_misspelt_step(names: Sequence[str], new: Sequence[str], known: RosterLookup) -> None:
    """Refuse words that look like a step that is misspelt, as ``wno red``, rather than make teams of them."""
    first = names[0] if names else ""
    near = next((step for step in command.commands if _misspelt(first.casefold(), step)), None)
    few = len(names) <= FEW or "for" in names
    if near is not None and few and first not in new and known.id_of(first) is None:
        msg = f"there is no step {first!r}; did you mean {near!r}? A name of somebody new needs --new {first}"
        raise click.UsageError(msg)


def _misspelt(word: str, step: str) -> bool:
    """Tell whether a word is a step with letters in another order, or one too many or too few.

    Another letter in place of one makes names (Kate, Sue, Pan), not slips.
    """
    longer, shorter = (word, step) if len(word) > len(step) else (step, word)
    fewer = {longer[:n] + longer[n + 1 :] for n in range(len(longer))}
    return word != step and (sorted(word) == sorted(step) or shorter in fewer)


def _setup(evening: Evening, entries: Sequence[Entry], ids: dict[str, str], options: dict[str, Any]) -> Setup:
    """Return who is here and the rules."""
    from equipoise.core.fields import typed_groups, typed_names
    from equipoise.identity.names import folded
    from equipoise.play.night import Setup

    by_name = {folded(name): each for name, each in ids.items()}

    def pairs(option: str) -> set[tuple[str, str]]:
        found = set()
        for group in typed_groups(options[option.replace("-", "_")], f"--{option}"):
            who = [by_name.get(folded(name)) or evening.night.id_of(name) for name in group]
            for name, each in zip(group, who, strict=True):
                if each is None:
                    msg = f"--{option}: there is no {name!r} among those who are here or ever came"
                    raise InputError(msg)
            known = sorted({each for each in who if each is not None})
            if len(known) < 2:
                msg = f"--{option} must name at least two people, got {', '.join(group)!r}"
                raise InputError(msg)
            found |= {(one, other) for n, one in enumerate(known) for other in known[n + 1 :]}
        return found

    called = tuple(typed_names(options["called"])) if options["called"] else ()
    if called and (len(called) != options["teams"] or len({folded(name) for name in called}) < len(called)):
        msg = (
            f"--names must be a name for each of {options['teams']} teams, all different, "
            f"got {options['called']!r}"
        )
        raise InputError(msg)
    before, neither = evening.night.setup, pairs("no-matter")
    apart = (set(before.apart) | pairs("apart")) - pairs("not-apart")
    prefer, avoid = pairs("prefer"), pairs("avoid")
    return Setup(
        tuple(ids.values()),
        tuple(night_names.parties_of(entries, ids).values()),
        tuple(sorted(apart)),
        options["teams"],
        options["size"],
        called,
        tuple(sorted((set(before.prefer) - avoid | prefer) - neither)),
        tuple(sorted((set(before.avoid) - prefer | avoid) - neither)),
    )


def _price(text: str) -> float:
    from equipoise.core.plain_data import price_of

    return price_of(text, "price", "--vary")


def _tell_teams(evening: Evening, arranged: Arranged | None, as_json: bool, form: str | None = None) -> None:
    """Say which teams are proposed now."""
    from equipoise.pages.text.night import arranged_lines, names_of, proposal_rows

    night = evening.night
    if as_json:
        plain = {"id": None if night.proposal is None else night.proposal.id} if arranged is None else {}
        shown = plain if arranged is None else arranged.as_dict(night.setup)
        here = [night.spelled.get(player, player) for player in night.setup.here]
        out = [] if night.proposal is None else [night.spelled.get(p, p) for p in night.proposal.out]
        click.echo(json.dumps({**shown, "here": here, "out": out}, indent=2))
    elif form is not None:
        proposal = None if arranged is None else night.proposal
        click.echo(table(("team", "player"), proposal_rows(night.setup, proposal, night.spelled), form))
    elif arranged is None:
        click.echo(f"Here: {names_of(night.setup.here, night.spelled) or 'nobody'}.")
        if night.proposal is None:
            click.echo("Too few for teams: equipoise night late NAME adds somebody.")
        else:
            click.echo("Next teams: equipoise night again")
    else:
        click.echo("\n".join(arranged_lines(night.setup, arranged, night.spelled)))


@contextmanager
def searching(store: str | None, who: Sequence[str] = ()) -> Iterator[Evening]:
    """Open a night for a step that searches: Ctrl-C ends the search, and the step is its best so far."""
    with interruptible(None) as stop:
        with night_names.opened_night(store, stop.at_most, who) as evening:
            yield evening
        if stop.interruption.happened:
            end_interrupted()


# Who is here


@archive_options.step("late")
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@new_option
@night_names.who_option
@table_forms
def late(
    names: tuple[str, ...], store: str | None, new: tuple[str, ...], who: tuple[str, ...], **forms: Any
) -> None:
    """Add somebody who comes late.

    Written as the first names: "Cedar 1500", "Amber + Birch".
    The others stay in their teams unless a move makes it much fairer.
    """
    with searching(store, who) as evening:
        known = evening.people()
        entries = night_names.entries_of(names, None, known, command.commands)
        ids = evening.arrivals([entry.name for entry in entries], new)
        setup, step = evening.night.setup, secrets.token_hex(6)
        evening.weigh(entries, ids, step)
        after = replace(
            setup,
            here=(*setup.here, *ids.values()),
            duos=(*setup.duos, *night_names.parties_of(entries, ids).values()),
        )
        arranged = evening.change(after, ids, step=step)
        _tell_newcomers(known, ids)
        _tell_teams(evening, arranged, **forms)


def _tell_newcomers(known: RosterLookup, ids: Mapping[str, str]) -> None:
    """Say who is new among those who come."""
    if newcomers := [name for name, each in ids.items() if each == name and known.id_of(name) is None]:
        archive_options.tell_new(newcomers)


@archive_options.step("leave")
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@table_forms
def leave(names: tuple[str, ...], store: str | None, **forms: Any) -> None:
    """Take out somebody who leaves.

    The others stay in their teams unless a move makes it much fairer.
    """
    with searching(store) as evening:
        gone = {evening.present(night_names.unquoted(name)) for name in names}
        setup = evening.night.setup
        here = tuple(player for player in setup.here if player not in gone)
        arranged = evening.change(replace(setup, here=here), {})
        _tell_teams(evening, arranged, **forms)


@archive_options.step("sub")
@click.argument("names", nargs=-1, required=True, metavar="NAME for NAME")
@new_option
@night_names.who_option
@table_forms
def sub(
    names: tuple[str, ...], store: str | None, new: tuple[str, ...], who: tuple[str, ...], **forms: Any
) -> None:
    """Put somebody in the place of another.

    Written as the first names: "Cedar 1500" for Elm.
    The other one leaves, or sits out if the first was here already.
    """
    if names.count("for") != 1 or not 0 < names.index("for") < len(names) - 1:
        msg = "write who comes in for whom, as: equipoise night sub Birch for Cedar"
        raise click.UsageError(msg)
    n = names.index("for")
    going = night_names.unquoted(" ".join(names[n + 1 :]))
    with searching(store, who) as evening:
        finder = evening.people()
        entries = night_names.entries_of([" ".join(names[:n])], None, finder, command.commands)
        if len(entries) > 1:
            msg = f"there is one place, but {' and '.join(entry.name for entry in entries)} would take it"
            raise click.UsageError(msg)
        coming, step = entries[0].name, secrets.token_hex(6)
        setup, proposal = evening.night.setup, evening.night.proposal
        gone = evening.present(going)
        out = () if proposal is None else proposal.out
        known = evening.night.id_of(coming)
        if known in out:
            ids = {coming: str(known)}
            here = setup.here
        else:
            ids = evening.arrivals([coming], new)
            here = tuple(ids[coming] if player == gone else player for player in setup.here)
        evening.weigh(entries, ids, step)
        arranged = evening.change(replace(setup, here=here), ids, {gone: ids[coming]}, step=step)
        _tell_newcomers(finder, ids)
        _tell_teams(evening, arranged, **forms)


@archive_options.step("again")
@vary_option
@click.option("--same", is_flag=True, help="The same teams once more.")
@table_forms
def again(store: str | None, vary: str, same: bool, **forms: Any) -> None:
    """Make new teams of the same people.

    Teams of this evening come again only where no others lie within the price, and the answer says so.
    """
    with searching(store) as evening:
        setup = evening.night.setup
        if not setup.here:
            msg = "nobody is here yet; 'equipoise night NAMES' makes teams"
            raise InputError(msg)
        if evening.night.plan and not same:
            arranged = evening.next_planned()
        else:
            now = evening.teams_now() if same else None
            arranged = evening.arrange(setup, now=now, still=same, vary=_price(vary))
            evening.propose(setup, arranged.proposal, {}, plan=evening.night.plan)
        _tell_teams(evening, arranged, **forms)


@archive_options.step("plan")
@click.option("--rounds", type=Whole(1, 99), required=True, help="How many games.")
@vary_option
@table_forms
def plan(store: str | None, as_json: bool, rounds: int, vary: str, form: str | None = None) -> None:
    """Divide several games at once.

    All are fair, everyone sits out equally often, partners and opponents vary, and no teams come twice
    while others lie within the price.
    """
    from equipoise.pages.text.night import plan_lines, proposal_rows

    with searching(store) as evening:
        if not evening.night.setup.here:
            msg = "nobody is here yet; 'equipoise night NAMES' makes teams"
            raise InputError(msg)
        found = evening.planned(rounds, _price(vary))
        night = evening.night
        if as_json:
            names = [night.setup.called(n) for n in range(night.setup.teams)]
            plain = found.as_dict()
            plain["rounds"] = [
                {"id": each.id, **shown} for each, shown in zip(found.rounds, plain["rounds"], strict=True)
            ]
            click.echo(json.dumps({"names": names, **plain}, indent=2))
        elif form is not None:
            cells = [
                (str(number), *row)
                for number, each in enumerate(found.rounds, start=1)
                for row in proposal_rows(night.setup, each, night.spelled)
            ]
            click.echo(table(("game", "team", "player"), cells, form))
        else:
            click.echo("\n".join(plan_lines(night.setup, found, night.spelled)))


match_option = click.option(
    "--match", metavar="ID", help="Which match it was.  [default: that of the current teams]"
)
at_option = click.option(
    "--at",
    "when",
    metavar="TIME",
    help="When it ended, as 2026-01-31T22:15 (UTC) or seconds.  [default: now]",
)


@archive_options.step(
    "result", short_help="Report how the game ended.", context_settings={"ignore_unknown_options": True}
)
@click.argument("what", nargs=-1, required=True, metavar="TEAM|draw|N:N")
@match_option
@at_option
def result(
    what: tuple[str, ...], store: str | None, as_json: bool, match: str | None, when: str | None
) -> None:
    """Report how the game ended: the TEAM that won (or one of its players), draw, or a score as 3:1."""
    typed = " ".join(what)
    with night_names.opened_night(store) as evening:
        if typed.casefold() == "draw":
            _report_draw(evening, match, when, as_json)
        elif SCORE.fullmatch(typed):
            _report_score(evening, [float(each) for each in SCORE_PARTS.split(typed)], match, when, as_json)
        else:
            _report_winner(evening, typed, match, when, as_json)


@archive_options.step("won", hidden=True)
@click.argument("team", nargs=-1, required=True, metavar="TEAM")
@match_option
@at_option
def won(team: tuple[str, ...], store: str | None, as_json: bool, match: str | None, when: str | None) -> None:
    """Report that TEAM won: its name, its number, or one of its players."""
    with night_names.opened_night(store) as evening:
        _report_winner(evening, " ".join(team), match, when, as_json)


@archive_options.step("draw", hidden=True)
@match_option
@at_option
def draw(store: str | None, as_json: bool, match: str | None, when: str | None) -> None:
    """Report that nobody won."""
    with night_names.opened_night(store) as evening:
        _report_draw(evening, match, when, as_json)


@archive_options.step("score", hidden=True, context_settings={"ignore_unknown_options": True})
@click.argument("scores", nargs=-1, required=True, type=Number(), metavar="N N")
@match_option
@at_option
def score(
    scores: tuple[float, ...], store: str | None, as_json: bool, match: str | None, when: str | None
) -> None:
    """Report the score of each team, in the order shown; more is better."""
    with night_names.opened_night(store) as evening:
        _report_score(evening, scores, match, when, as_json)


def _report_winner(evening: Evening, name: str, match: str | None, when: str | None, as_json: bool) -> None:
    from equipoise.play.night import current, team_named

    winner = team_named(evening.night, night_names.unquoted(name))
    ranks = [1.0 if n == winner else 2.0 for n in range(len(current(evening.night).teams))]
    _report(evening, ranks, (), match, when, as_json)


def _report_draw(evening: Evening, match: str | None, when: str | None, as_json: bool) -> None:
    from equipoise.play.night import current

    _report(evening, [1.0] * len(current(evening.night).teams), (), match, when, as_json)


def _report_score(
    evening: Evening, scores: Sequence[float], match: str | None, when: str | None, as_json: bool
) -> None:
    from equipoise.core.plain_data import number_of
    from equipoise.play.night import ranks_of

    counted = [
        number_of(repr(abs(each)), "score", "night") * (-1.0 if each < 0.0 else 1.0) for each in scores
    ]
    _report(evening, ranks_of(counted), counted, match, when, as_json)


def _report(
    evening: Evening, ranks: Sequence[float], scores: Sequence[float], match: str | None, when: str | None,
    as_json: bool,
) -> None:  # fmt: skip
    """Keep a result once, and say so."""
    from itertools import chain

    from equipoise.identity.short_ids import meant_by
    from equipoise.pages.text.point_changes import changes_text
    from equipoise.play.night import current, match_of, result_event, result_text
    from equipoise.ratings.point_changes import point_changes

    event = result_event(evening.night, ranks, scores, evening.time(when), match)
    ids = [current(evening.night).id, *(each.match for each in evening.night.results)]
    wanted = ids[0] if match is None else meant_by(match, ids)
    before, changes = evening.weights(), []
    if event is not None:
        evening.add(event, match=match_of(evening.night, event))
        changes = point_changes(chain(*current(evening.night).teams), before, evening.weights())
    if as_json:
        status = "known" if event is None else "new"
        changed = [each.as_dict() for each in changes]
        click.echo(json.dumps({"match": wanted, "status": status, "changes": changed}, indent=2))
    elif event is None:
        click.echo("That was reported already; nothing has changed.")
    else:
        text = result_text(evening.night, ranks)
        archive_options.tell(f"{text}: {changes_text(changes, evening.shown)}.")
        archive_options.tell("Next teams: equipoise night again (a mistake: equipoise night undo)")


@archive_options.step("undo")
def undo(store: str | None, as_json: bool) -> None:
    """Take back the last step: a result, or teams."""
    from itertools import chain

    from equipoise.pages.text.night import undo_line
    from equipoise.play.night import RESULT, UNDO
    from equipoise.ratings.point_changes import point_changes

    with night_names.opened_night(store) as evening:
        if not evening.night.steps:
            msg = "undo: there is no step to take back"
            raise InputError(msg)
        last = evening.night.steps[-1]
        proposal = last.get("proposal") or {}
        match = last["match"] if last["kind"] == RESULT else proposal.get("id")
        night, before, changes = evening.night, evening.weights(), []
        evening.add({"kind": UNDO}, undone=match if last["kind"] == RESULT else None)
        if last["kind"] == RESULT:
            changes = point_changes(chain(*night.results[-1].game.teams), before, evening.weights())
        if as_json:
            plain = {"match": match, "status": "undone", "step": last["kind"]}
            click.echo(json.dumps({**plain, "changes": [each.as_dict() for each in changes]}, indent=2))
            return
        click.echo(undo_line(night, last, changes))
        if evening.night.proposal is not None:
            from equipoise.pages.text.night import proposal_lines

            lines = proposal_lines(evening.night.setup, evening.night.proposal, evening.night.spelled)
            click.echo("\n".join(lines))


@archive_options.step("table")
@table_forms
def everyone(store: str | None, as_json: bool, form: str | None = None) -> None:
    """Show everyone: ratings, games, sitting out, and the current teams."""
    from equipoise.pages.text.night import table_lines, table_rows

    with night_names.opened_night(store) as evening:
        rows = evening.rows()
        if as_json:
            proposal = evening.night.proposal
            teams = [] if proposal is None else [list(team) for team in proposal.teams]
            plain = {"players": rows, "id": None if proposal is None else proposal.id, "teams": teams}
            click.echo(json.dumps({**plain, "games": len(evening.night.results)}, indent=2))
        elif form is not None:
            columns, *cells = table_rows(rows)
            click.echo(table(columns, cells, form))
        elif rows:
            click.echo("\n".join(table_lines(evening.night, rows)))
        else:
            click.echo("Nobody has come yet: equipoise night NAMES makes teams.")


for each in (gather, again, late, leave, sub, result, undo, plan, everyone, won, draw, score, web, links):
    command.add_command(each)
