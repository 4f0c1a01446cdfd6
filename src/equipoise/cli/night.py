"""``equipoise night``: a night of games from names to teams, results, and better teams next time."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from equipoise.cli import archive_options, night_names
from equipoise.cli.balance import end_interrupted, interruptible
from equipoise.cli.night_web import links, web
from equipoise.cli.output_options import Number, PriceOption, Whole, table, table_forms
from equipoise.cli.roster_options import read_option
from equipoise.errors import InputError
from equipoise.identity.roster_lookup import RosterLookup

if TYPE_CHECKING:
    from equipoise.files.pasted_names import Entry
    from equipoise.play.evening_events import Setup
    from equipoise.service.kept_evening import StepTaken
    from equipoise.service.night import Night

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
equipoise night --web                             in everybody's browser

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
    "--vary", metavar="PRICE", type=PriceOption(), default="0.5%", show_default=True,
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
    from equipoise.play.evening_events import Gather

    with searching(store, options["who"]) as night:
        known = night.people()
        _refuse_misspelt_step(names, options["new"], known)
        typed = night_names.entries_of(names, options["read"], known, command.commands)
        entries = typed.entries
        ids = night.resolved([entry.name for entry in entries], options["new"])
        setup, weights = _setup(night, entries, ids, options), night.weighing(entries, ids)
        spelled, vary = night.spellings(ids), options["vary"]
        night.take(Gather(night.lobby, setup, spelled, weights, vary=vary))
        night.note_weights(weights)
        if known.last_names:  # else everybody is
            _tell_newcomers(night, known, ids)
        typed.say({"as_json": options["as_json"], "form": options.get("form")})
        _tell_teams(night, options["as_json"], options.get("form"), typed.data)


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


def _setup(night: Night, entries: Sequence[Entry], ids: dict[str, str], options: dict[str, Any]) -> Setup:
    """Return who is here and the rules."""
    from equipoise.core.fields import typed_groups, typed_names
    from equipoise.identity.names import folded
    from equipoise.play.evening_events import Setup

    by_name = {folded(name): each for name, each in ids.items()}

    def pairs(option: str) -> set[tuple[str, str]]:
        found = set()
        for group in typed_groups(options[option.replace("-", "_")], f"--{option}"):
            who = [by_name.get(folded(name)) or night.id_of(name) for name in group]
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
    before, neither = night.setup, pairs("no-matter")
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


def _tell_teams(
    night: Night, as_json: bool, form: str | None = None, read: Mapping[str, Any] | None = None
) -> None:
    """Say which teams are proposed now, and as data what was ``read`` besides the names."""
    from equipoise.pages.text.night import arranged_lines, names_of, proposal_rows

    arranged, proposal, spelled = night.arranged, night.proposal, night.spelled
    if as_json:
        plain = {"id": None if proposal is None else proposal.id} if arranged is None else {}
        shown = plain if arranged is None else arranged.as_dict(night.setup)
        here = [spelled.get(player, player) for player in night.setup.here]
        out = [] if proposal is None else [spelled.get(p, p) for p in proposal.out]
        more = {} if read is None else {"read": read}
        click.echo(json.dumps({**shown, "here": here, "out": out, **more}, indent=2))
    elif form is not None:
        cells = proposal_rows(night.setup, None if arranged is None else proposal, spelled)
        click.echo(table(("team", "player"), cells, form))
    elif arranged is None:
        click.echo(f"Here: {names_of(night.setup.here, spelled) or 'nobody'}.")
        if proposal is None and len(night.setup.here) < night.setup.teams:
            click.echo("Too few for teams: equipoise night late NAME adds somebody.")
        else:
            click.echo("Next teams: equipoise night again")
    else:
        click.echo("\n".join([*arranged_lines(night.setup, arranged, spelled), *_next_lines(night)]))


def _next_lines(night: Night) -> list[str]:
    """Return what the current game waits for besides its result."""
    from equipoise.pages.text.night import waiting_lines

    return [] if night.game is None else waiting_lines(night.setup, night.game, night.spelled)


def _tell_people(night: Night, done: StepTaken, as_json: bool, form: str | None = None) -> None:
    """Say what came of people who came or went: other teams, or a game or draft that goes on, or is over."""
    from equipoise.pages.text.evening import line_of

    for notice in done.notices():
        if notice.kind in ("captain left", "draft over"):
            archive_options.warn(line_of(replace(notice, lobby=""), night.shown))
    game = night.game
    if game is not None and not game.counted and (game.begun or not game.is_whole):
        _tell_game(night, as_json, form)
    else:
        _tell_teams(night, as_json, form)


@contextmanager
def searching(store: str | None, who: Sequence[str] = ()) -> Iterator[Night]:
    """Open a night for a step that searches: Ctrl-C ends the search, and the step is its best so far."""
    with interruptible(None) as stop:
        with night_names.opened_night(store, stop.at_most, who) as night:
            yield night
        if stop.interruption.happened:
            end_interrupted()


# Who is here


@archive_options.step("late")
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@read_option
@new_option
@night_names.who_option
@table_forms
def late(
    names: tuple[str, ...], store: str | None, read: str | None, new: tuple[str, ...], who: tuple[str, ...],
    **forms: Any,
) -> None:  # fmt: skip
    """Add somebody who comes late.

    Written as the first names: "Cedar 1500", "Amber + Birch".
    The others stay in their teams unless a move makes it much fairer.
    """
    from equipoise.play.evening_events import Attend

    with searching(store, who) as night:
        known = night.people()
        typed = night_names.entries_of(names, read, known, command.commands)
        entries = typed.entries
        ids = night.arrivals([entry.name for entry in entries], new)
        duos = tuple(night_names.parties_of(entries, ids).values())
        weights = night.weighing(entries, ids)
        done = night.take(Attend(night.lobby, tuple(ids.values()), duos=duos, spelled=night.spellings(ids),
                                 weights=weights))  # fmt: skip
        night.note_weights(weights)
        _tell_newcomers(night, known, ids)
        typed.say(forms)
        _tell_people(night, done, **forms)


def _tell_newcomers(night: Night, known: RosterLookup, ids: Mapping[str, str]) -> None:
    """Say who is new among those who come."""
    if unknown := [name for name, each in ids.items() if each == name and known.id_of(name) is None]:
        archive_options.tell_new(*archive_options.newcomers(night.archive, unknown))


@archive_options.step("leave")
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@table_forms
def leave(names: tuple[str, ...], store: str | None, **forms: Any) -> None:
    """Take out somebody who leaves.

    The others stay in their teams unless a move makes it much fairer.
    """
    from equipoise.play.evening_events import OUT, Attend

    with searching(store) as night:
        gone = dict.fromkeys(night.present(night_names.unquoted(name)) for name in names)
        done = night.take(Attend(night.lobby, tuple(gone), OUT))
        _tell_people(night, done, **forms)


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
    from equipoise.play.evening_events import Substitute

    with searching(store, who) as night:
        finder = night.people()
        entries = night_names.entries_of([" ".join(names[:n])], None, finder, command.commands).entries
        if len(entries) > 1:
            msg = f"there is one place, but {' and '.join(entry.name for entry in entries)} would take it"
            raise click.UsageError(msg)
        coming, proposal = entries[0].name, night.proposal
        gone, known = night.present(going), night.id_of(coming)
        out = () if proposal is None else proposal.out
        ids = {coming: str(known)} if known in out else night.arrivals([coming], new)
        weights = night.weighing(entries, ids)
        done = night.take(Substitute(night.lobby, ids[coming], gone, night.spellings(ids), weights))
        night.note_weights(weights)
        _tell_newcomers(night, finder, ids)
        _tell_people(night, done, **forms)


@archive_options.step("again")
@vary_option
@click.option("--same", is_flag=True, help="The same teams once more.")
@table_forms
def again(store: str | None, vary: float, same: bool, **forms: Any) -> None:
    """Make new teams of the same people.

    Teams of this evening come again only where no others lie within the price, and the answer says so.
    """
    from equipoise.play.evening_events import Call

    with searching(store) as night:
        _refuse_nobody(night)
        night.take(Call(night.lobby, same, vary))
        _tell_teams(night, **forms)


def _refuse_nobody(night: Night) -> None:
    if not night.setup.here:
        msg = "nobody is here yet; 'equipoise night NAMES' makes teams"
        raise InputError(msg)


@archive_options.step("plan")
@click.option("--rounds", type=Whole(1, 99), required=True, help="How many games.")
@vary_option
@table_forms
def plan(store: str | None, as_json: bool, rounds: int, vary: float, form: str | None = None) -> None:
    """Divide several games at once.

    All are fair, everyone sits out equally often, partners and opponents vary, and no teams come twice
    while others lie within the price.
    """
    from equipoise.pages.text.night import plan_lines, proposal_rows

    with searching(store) as night:
        _refuse_nobody(night)
        found = night.planned(rounds, vary)
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
    with night_names.opened_night(store) as night:
        if typed.casefold() == "draw":
            _report_draw(night, match, when, as_json)
        elif SCORE.fullmatch(typed):
            _report_score(night, [float(each) for each in SCORE_PARTS.split(typed)], match, when, as_json)
        else:
            _report_winner(night, typed, match, when, as_json)


@archive_options.step("won", hidden=True)
@click.argument("team", nargs=-1, required=True, metavar="TEAM")
@match_option
@at_option
def won(team: tuple[str, ...], store: str | None, as_json: bool, match: str | None, when: str | None) -> None:
    """Report that TEAM won: its name, its number, or one of its players."""
    with night_names.opened_night(store) as night:
        _report_winner(night, " ".join(team), match, when, as_json)


@archive_options.step("draw", hidden=True)
@match_option
@at_option
def draw(store: str | None, as_json: bool, match: str | None, when: str | None) -> None:
    """Report that nobody won."""
    with night_names.opened_night(store) as night:
        _report_draw(night, match, when, as_json)


@archive_options.step("score", hidden=True, context_settings={"ignore_unknown_options": True})
@click.argument("scores", nargs=-1, required=True, type=Number(), metavar="N N")
@match_option
@at_option
def score(
    scores: tuple[float, ...], store: str | None, as_json: bool, match: str | None, when: str | None
) -> None:
    """Report the score of each team, in the order shown; more is better."""
    with night_names.opened_night(store) as night:
        _report_score(night, scores, match, when, as_json)


def _report_winner(night: Night, name: str, match: str | None, when: str | None, as_json: bool) -> None:
    from equipoise.play.evening_state import team_called

    teams = _teams(night)
    winner = team_called(night.setup, teams, night_names.unquoted(name), night.id_of)
    _report(night, [1.0 if n == winner else 2.0 for n in range(len(teams))], (), match, when, as_json)


def _report_draw(night: Night, match: str | None, when: str | None, as_json: bool) -> None:
    _report(night, [1.0] * len(_teams(night)), (), match, when, as_json)


def _teams(night: Night) -> tuple[tuple[str, ...], ...]:
    """Return the current teams.

    Raises
    ------
    InputError
        If there are none, or captains still pick them.
    """
    if night.game is None:
        msg = "there are no teams yet; 'equipoise night NAMES' makes them"
        raise InputError(msg)
    return night.kept.evening.divided(night.lobby).teams


def _report_score(
    night: Night, scores: Sequence[float], match: str | None, when: str | None, as_json: bool
) -> None:
    from equipoise.core.plain_data import number_of
    from equipoise.play.evening import ranks_of

    counted = [
        number_of(repr(abs(each)), "score", "night") * (-1.0 if each < 0.0 else 1.0) for each in scores
    ]
    _report(night, ranks_of(counted), counted, match, when, as_json)


def _report(
    night: Night, ranks: Sequence[float], scores: Sequence[float], match: str | None, when: str | None,
    as_json: bool,
) -> None:  # fmt: skip
    """Keep a result once, and say so."""
    from equipoise.pages.text.night import result_text
    from equipoise.pages.text.point_changes import changes_text
    from equipoise.play.evening_events import Report

    _teams(night)
    done = night.take(Report("", tuple(ranks), tuple(scores), night.lobby, match or "", night.time(when)))
    wanted = done.game or next(each.facts["game"] for each in done.notices() if each.kind == "known")
    if as_json:
        status = "new" if done.game else "known"
        changed = [each.as_dict() for each in done.changes]
        click.echo(json.dumps({"match": wanted, "status": status, "changes": changed}, indent=2))
    elif not done.game:
        click.echo("That was reported already; nothing has changed.")
    else:
        text = result_text(night.setup, ranks)
        archive_options.tell(f"{text}: {changes_text(done.changes, night.shown)}.")
        archive_options.tell("Next teams: equipoise night again (a mistake: equipoise night undo)")


@archive_options.step("undo")
def undo(store: str | None, as_json: bool) -> None:
    """Take back the last step, whatever it was."""
    from equipoise.pages.text.night import proposal_lines, step_word, undo_line
    from equipoise.play.evening_events import Undo

    with night_names.opened_night(store) as night:
        step = night.kept.evening.last_step(night.lobby)
        if step is None:
            msg = "undo: there is no step to take back"
            raise InputError(msg)
        game, spelled = night.game, night.spelled
        done = night.take(Undo("", lobby=night.lobby, step=step.number))
        if as_json:
            match = done.game or (None if game is None else game.id)
            plain = {"match": match, "status": "undone", "step": step_word(step.event)}
            click.echo(json.dumps({**plain, "changes": [each.as_dict() for each in done.changes]}, indent=2))
            return
        click.echo(undo_line(night.setup, step.event, game, spelled, done.changes))
        if night.proposal is not None:
            click.echo("\n".join(proposal_lines(night.setup, night.proposal, night.spelled)))
        if lines := _next_lines(night):
            click.echo("\n".join(lines))


@archive_options.step("table")
@table_forms
def everyone(store: str | None, as_json: bool, form: str | None = None) -> None:
    """Show everyone's ratings and games, and the teams."""
    from equipoise.pages.text.night import game_data, table_lines, table_rows

    with night_names.opened_night(store) as night:
        rows, proposal = night.rows(), night.proposal
        if as_json:
            teams = [] if proposal is None else [list(team) for team in proposal.teams]
            plain = {"players": rows, "id": None if proposal is None else proposal.id, "teams": teams}
            game = game_data(night.setup, night.game, night.spelled)
            now = {key: game.get(key) for key in ("phase", "captain", "left", "map", "maps")}
            click.echo(json.dumps({**plain, "games": len(night.results), **now}, indent=2))
        elif form is not None:
            columns, *cells = table_rows(rows)
            click.echo(table(columns, cells, form))
        elif rows:
            click.echo("\n".join(table_lines(rows, night.setup, night.game, night.spelled)))
        else:
            click.echo("Nobody has come yet: equipoise night NAMES makes teams.")


# Captains, votes, maps, and changes by hand


def _tell_game(night: Night, as_json: bool, form: str | None = None) -> None:
    """Say what the current game is, and what it waits for."""
    from equipoise.pages.text.night import game_data, game_lines, proposal_rows

    if as_json:
        click.echo(json.dumps(game_data(night.setup, night.game, night.spelled), indent=2))
    elif form is not None:
        proposal = None if night.game is None else night.game.proposal
        click.echo(table(("team", "player"), proposal_rows(night.setup, proposal, night.spelled), form))
    else:
        click.echo("\n".join(game_lines(night.setup, night.game, night.spelled)))


def _known_as(night: Night, name: str) -> str:
    """Return the id of somebody who has come.

    Raises
    ------
    InputError
        If there is none of that name.
    """
    player = night.id_of(night_names.unquoted(name))
    return night.present(night_names.unquoted(name)) if player is None else player


@contextmanager
def stepping(store: str | None, forms: dict[str, Any]) -> Iterator[Night]:
    """Open a night for a step after which the current game is shown."""
    with searching(store) as night:
        yield night
        _tell_game(night, **forms)


@archive_options.step("maybe")
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option("--later", is_flag=True, help="They come later for sure.")
@read_option
@new_option
@table_forms
def maybe(
    names: tuple[str, ...], store: str | None, later: bool, read: str | None, new: tuple[str, ...],
    **forms: Any,
) -> None:  # fmt: skip
    """Note who comes perhaps, or later.

    'late NAME' once they are there.
    """
    from equipoise.play.evening_events import LATER, MAYBE, Attend

    with stepping(store, forms) as night:
        typed = night_names.entries_of(names, read, night.people(), command.commands)
        entries = typed.entries
        typed.say(forms)
        ids = night.resolved([entry.name for entry in entries], new)
        state = LATER if later else MAYBE
        night.take(Attend(night.lobby, tuple(ids.values()), state, spelled=night.spellings(ids)))


@archive_options.step("captains")
@click.argument("names", nargs=-1, required=True, metavar="NAME NAME...")
@table_forms
def captains(names: tuple[str, ...], store: str | None, **forms: Any) -> None:
    """Let captains pick the teams.

    One for each team; then 'pick NAME' in turn.
    """
    from equipoise.play.evening_events import Captains

    with stepping(store, forms) as night:
        night.take(Captains(night.lobby, tuple(_known_as(night, name) for name in names)))


@archive_options.step("pick")
@click.argument("name", metavar="NAME")
@table_forms
def pick(name: str, store: str | None, **forms: Any) -> None:
    """Pick NAME for the captain whose turn it is."""
    from equipoise.play.evening_events import Pick

    with stepping(store, forms) as night:
        night.take(Pick("", _known_as(night, name), night.lobby))


@archive_options.step("vote")
@click.argument("name", metavar="NAME")
@click.argument("choice", metavar="yes|no|captains|MAP")
@table_forms
def vote(name: str, choice: str, store: str | None, **forms: Any) -> None:
    """Count the vote of NAME.

    'no' is for other teams, 'captains' for a draft; or it is a map.  More than half of those who play decide.
    """
    from equipoise.play.evening_events import Vote

    with stepping(store, forms) as night:
        night.take(Vote(_known_as(night, name), choice, night.lobby))


@archive_options.step("maps")
@click.argument("maps", metavar="MAP,MAP...|none")
@click.option("--veto", "by", flag_value="veto", help="The teams strike maps in turn, until one is left.")
@click.option("--vote", "by", flag_value="vote", help="Everyone votes on maps.")
@table_forms
def maps(maps: str, store: str | None, by: str | None, **forms: Any) -> None:
    """Say where games are played.

    The maps come in turn, or after a veto, or as people vote.
    """
    from equipoise.core.fields import typed_names
    from equipoise.play.evening_events import TURN, Maps

    chosen = () if maps.casefold() == "none" else tuple(typed_names(maps))
    with stepping(store, forms) as night:
        night.take(Maps(night.lobby, chosen, by or TURN))


@archive_options.step("veto")
@click.argument("map_name", metavar="MAP")
@table_forms
def veto(map_name: str, store: str | None, **forms: Any) -> None:
    """Strike MAP for the team whose turn it is."""
    from equipoise.play.evening_events import Veto

    with stepping(store, forms) as night:
        night.take(Veto("", map_name, night.lobby))


@archive_options.step("swap")
@click.argument("one", metavar="NAME")
@click.argument("other", metavar="NAME")
@table_forms
def swap(one: str, other: str, store: str | None, **forms: Any) -> None:
    """Let two people change places.

    They are of two teams, or one plays and one sits out.
    """
    from equipoise.play.evening_events import SwapPlayers

    with stepping(store, forms) as night:
        night.take(SwapPlayers(night.lobby, _known_as(night, one), _known_as(night, other)))


@archive_options.step("lock")
@click.argument("names", nargs=-1, metavar="[NAME...]")
@click.option("--off", is_flag=True, help="Lock them no longer.")
@table_forms
def lock(names: tuple[str, ...], store: str | None, off: bool, **forms: Any) -> None:
    """Keep people in the team they are in.

    For the next teams too; without a NAME all of them.
    """
    from equipoise.play.evening_events import Lock

    with stepping(store, forms) as night:
        night.take(Lock(night.lobby, tuple(_known_as(night, name) for name in names), not off))


@archive_options.step("roles")
@click.argument("needs", required=False, metavar="[ROLE:N,...|none]")
@click.option(
    "--plays", multiple=True, metavar="NAME=ROLE,ROLE", help="Who plays what; others play all.  Repeatable."
)
@table_forms
def roles(needs: str | None, store: str | None, plays: tuple[str, ...], **forms: Any) -> None:
    """Say what every team needs, and who plays what."""
    from equipoise.core.fields import typed_names
    from equipoise.play.evening_events import SetRoles

    if needs is None and not plays:
        msg = "write what every team needs, as tank:1,support:2, or --plays NAME=ROLE"
        raise click.UsageError(msg)
    wanted = []
    for each in typed_names(needs) if needs and needs.casefold() != "none" else ():
        role, _, number = each.replace("=", ":").partition(":")
        if not role or not number.isdecimal():
            msg = f"NEEDS must be ROLE:N, as tank:1,support:2, or none, got {needs!r}"
            raise click.UsageError(msg)
        wanted.append((role, int(number)))
    with stepping(store, forms) as night:
        given = []
        for each in plays:
            name, equals, listed = each.partition("=")
            if not equals:
                msg = f"--plays must be NAME=ROLE,ROLE, got {each!r}"
                raise click.UsageError(msg)
            given.append((_known_as(night, name), tuple(typed_names(listed)) if listed else ()))
        night.take(SetRoles(night.lobby, tuple(given), None if needs is None else tuple(wanted)))


for each in (gather, again, late, leave, maybe, sub, swap, lock, captains, pick, vote, maps, veto, roles,
             result, undo, plan, everyone, won, draw, score, web, links):  # fmt: skip
    command.add_command(each)
