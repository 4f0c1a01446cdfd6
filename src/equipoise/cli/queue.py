"""``equipoise queue``: what a policy means for people, and what comes out under it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from equipoise.cli import archive_options
from equipoise.cli.fan_out_options import fan_out_options
from equipoise.cli.output_options import (
    NewFile,
    Number,
    Whole,
    print_json,
    table,
    table_forms,
    with_json,
    write,
)
from equipoise.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from equipoise.queueing.policy import QueuePolicy
    from equipoise.queueing.simulation import QueueFigures


#: Tickets times policies from which a process a core is worth beginning.
PAYS = 30_000  # effort


_queue = click.option(
    "--queue", required=True, metavar="NAME", help="The queue, as [queue.NAME] of the settings."
)


@click.group(name="queue")
def command() -> None:
    """Say what a queue's policy means, and simulate it.

    POLICY is a file in JSON or TOML, such as {"team_size": 4, "longest_wait": 120}; - is standard input.
    """


@command.command(name="check")
@click.argument("policy", metavar="POLICY")
@with_json
def _check(policy: str, as_json: bool) -> None:
    """Say what people will see, and what is promised."""
    from equipoise.files.read_policy import read_policy
    from equipoise.queueing.promises import policy_in_words

    read = read_policy(policy)
    if as_json:
        print_json({"policy": read.to_dict(), "words": policy_in_words(read)})
        return
    for line in policy_in_words(read):
        click.echo(line)


@command.command(name="simulate")
@click.argument("policy", metavar="POLICY")
@click.option(
    "--rate", "rates", type=Number(0), multiple=True, metavar="N",
    help="Tickets a second; given again it is a curve, in steps of equal length.  [default: 5]",
)  # fmt: skip
@click.option(
    "--tickets", metavar="FILE.json", help="Replay tickets that once came, instead of drawing them."
)
@click.option(
    "--minutes", type=Number(0.1, 10_000), default=30.0, show_default=True, metavar="N",
    help="How long, after a warm-up of 5 minutes that is not counted.",
)  # fmt: skip
@click.option(
    "--deviation", type=Number(0), metavar="N",
    help="Standard deviation of the skills.  [default: that of the policy]",
)  # fmt: skip
@click.option(
    "--sigma", type=Number(0), default=0.0, show_default=True, metavar="N",
    help="How uncertain ratings are; matches are judged by skill.",
)  # fmt: skip
@click.option(
    "--parties", default="60,20,10,5,5", show_default=True, metavar="N,N,...",
    help="Shares of tickets of 1, 2, ... players.",
)  # fmt: skip
@click.option(
    "--p95", type=Number(0), metavar="SECONDS",
    help="Find how slowly tolerances may grow so that 95 of 100 wait no longer.",
)  # fmt: skip
@click.option("--frontier", is_flag=True, help="Show wait against evenness over growths of tolerances.")
@click.option("--plot", type=NewFile(".svg"), metavar="FILE.svg", help="With --frontier: draw it too.")
@click.option(
    "--seed", type=Whole(0), default=0, show_default=True, metavar="N", help="Of all that is drawn."
)
@fan_out_options
@with_json
@table_forms
def _simulate(
    policy: str,
    rates: tuple[float, ...],
    tickets: str | None,
    minutes: float,
    deviation: float | None,
    sigma: float,
    parties: str,
    p95: float | None,
    frontier: bool,
    plot: str | None,
    seed: int,
    ray: str | None,
    workers: int,
    as_json: bool,
    form: str | None = None,
) -> None:
    """Simulate a queue: how long people wait, how even matches are."""
    from equipoise.files.read_policy import read_policy, read_tickets
    from equipoise.queueing.simulation import (
        FACTORS,
        Population,
        SimulatedQueue,
        scaled,
        simulated,
        slowest_growth,
    )
    from equipoise.service.fan_out import fanned_out

    if plot is not None and not frontier:
        msg = "--plot draws what --frontier shows; give both"
        raise click.UsageError(msg)
    read = read_policy(policy)
    population = Population(
        read.middle, read.deviation if deviation is None else deviation, sigma, _shares(parties)
    )

    came, until = (None, None) if tickets is None else read_tickets(tickets)
    queue = SimulatedQueue(came, seed, rates or (5.0,), 60.0 * minutes, population, until)
    expected = len(came) if came is not None else sum(queue.rates) / len(queue.rates) * queue.seconds

    def under_each(policies: Sequence[QueuePolicy]) -> Iterator[QueueFigures]:
        pays = expected * len(policies) >= PAYS
        with archive_options.progress_bar("Simulating") as tell, fanned_out(ray, workers, pays=pays) as tasks:
            for number, figures in enumerate(tasks(simulated, queue, policies)):
                if tell is not None:
                    tell((number + 1) / len(policies))
                yield figures

    if frontier:
        found = list(zip(FACTORS, under_each([scaled(read, factor) for factor in FACTORS]), strict=True))
        _show_frontier(found, as_json=as_json, form=form)
        if plot is not None:
            _draw_frontier(found, plot)
        return
    if p95 is None:
        if ray is None and not workers:
            with archive_options.progress_bar("Simulating") as progress:
                figures = queue.under(read, progress)
        else:
            (figures,) = under_each([read])
        _show(figures, {}, as_json=as_json, form=form)
        return
    fitted = slowest_growth(read, 95.0, p95, under_each)
    if fitted is None:
        msg = f": no growth up to {FACTORS[-1]:g} times that of {policy} has 95 of 100 wait at most {p95:g} s"
        raise InputError(msg, "p95")
    factor, figures = fitted
    _show(figures, {"growth": factor, "policy": scaled(read, factor).to_dict()}, as_json=as_json, form=form)


@command.command(name="tickets")
@archive_options.store
@_queue
@click.option("--since", type=Number(), metavar="SECONDS", help="Those that came no earlier, since 1970.")
@click.option("--until", type=Number(), metavar="SECONDS", help="Those that came earlier, since 1970.")
def _tickets(store: str, queue: str, since: float | None, until: float | None) -> None:
    """Print a queue's tickets for 'simulate --tickets'.

    They are those that came to a queue of 'equipoise serve', with when they left where they did not play.
    """
    from equipoise.archive.archive import open_archive
    from equipoise.queueing.life import PLAYED, EnterTicket
    from equipoise.queueing.record import event_of
    from equipoise.queueing.tickets import QueueTicket

    came: list[dict[str, Any]] = []
    here: dict[str, dict[str, Any]] = {}
    with open_archive(store, create=False) as archive:
        events = archive.ticket_record(queue).since(0)
    if not events:
        msg = f": {store} has no tickets of {queue!r}"
        raise InputError(msg, "queue")
    for each in events:
        if each.event.startswith('["enter"'):
            event = event_of(each.event, dict[str, QueueTicket]().get)
            if isinstance(event, EnterTicket):
                row = here[event.ticket.id] = replace(event.ticket, since=each.at).to_dict()
                came.append(row)
        for reply in json.loads(each.replies):
            if reply["kind"] == "left" and reply["ticket"] in here:
                row = here.pop(reply["ticket"])
                if reply["why"] not in PLAYED:
                    row["until"] = each.at
    first, last = float("-inf") if since is None else since, float("inf") if until is None else until
    click.echo(json.dumps([row for row in came if first <= row["since"] < last], indent=2))


@command.command(name="empty")
@archive_options.store
@_queue
@with_json
def _empty(store: str, queue: str, as_json: bool) -> None:
    """Let all who wait or play in a queue go.

    For a queue that no server runs any longer: until then its people may enter no other queue.
    """
    from equipoise.archive.archive import open_archive
    from equipoise.service.queue_owner import emptied

    with open_archive(store, create=False) as archive:
        if not archive.ticket_record(queue).last():
            msg = f": {store} has no queue {queue!r}"
            raise InputError(msg, "queue")
        tickets, matches = emptied(archive, queue)
    if as_json:
        print_json({"tickets": tickets, "matches": matches})
    else:
        click.echo(f"{tickets} tickets have left, {matches} matches have ended")


def _shares(typed: str) -> tuple[float, ...]:
    try:
        shares = [float(share) for share in typed.split(",")]
    except ValueError:
        msg = f"must be numbers with commas such as 60,20,20, got {typed!r}"
        raise InputError(msg, "parties") from None
    if not (min(shares) >= 0.0 and 0.0 < sum(shares) < float("inf")):
        msg = f"must be at least 0 each, and one above, got {typed!r}"
        raise InputError(msg, "parties")
    return tuple(share / sum(shares) for share in shares)


def _show(figures: QueueFigures, fitted: dict[str, Any], *, as_json: bool, form: str | None) -> None:
    """Print what came out, and the policy that was fitted, if one was."""
    found = figures.as_dict()
    if as_json:
        print_json({**fitted, **found})
        return
    waits = found["wait"]
    if form is None:
        if fitted:
            click.echo(f"tolerances that grow {fitted['growth']:g} times as fast do: {fitted['policy']}")
        click.echo(
            f"{found['tickets']} tickets in {found['matches']} matches; {found['left']} still wait"
            + (f", {found['gave_up']} gave up" if found["gave_up"] else "")
        )
        click.echo("wait: " + ", ".join(f"{name} {_seconds(value)}" for name, value in waits.items()))
        if found["matches"]:
            apart = f"ratings {found['spread']:.0f} apart"
            click.echo(f"matches: {_even(found['imbalance'])} on average, {apart}")
    rows = [
        (
            f"{what}: {name}", _seconds(wait), _even(found[f"imbalance_by_{kind}"][name]),
            _points(found[f"spread_by_{kind}"][name]),
        )
        for kind, what in (("band", "deviations from the middle"), ("size", "players of the party"))
        for name, wait in found[f"wait_by_{kind}"].items()
    ]  # fmt: skip
    click.echo(table(("who", "mean wait", "teams", "ratings apart"), rows, form))


def _show_frontier(found: list[tuple[float, QueueFigures]], *, as_json: bool, form: str | None) -> None:
    """Print wait against evenness, a growth a line."""
    if as_json:
        print_json({"frontier": [{"growth": factor, **figures.as_dict()} for factor, figures in found]})
        return
    rows = []
    for factor, figures in found:
        plain = figures.as_dict()
        even, wait = _even(plain["imbalance"]), plain["wait"]
        rows.append((f"{factor:g}", _seconds(wait["mean"]), _seconds(wait["p95"]), even))
    click.echo(table(("growth", "mean wait", "p95", "teams"), rows, form))


def _draw_frontier(found: list[tuple[float, QueueFigures]], path: str) -> None:
    """Draw wait against evenness, of the growths under which there were matches."""
    from equipoise.pages.pictures.wait_frontier import frontier_svg

    plain = [(factor, figures.as_dict()) for factor, figures in found]
    points = [
        (factor, each["wait"]["mean"], each["wait"]["p95"], each["imbalance"])
        for factor, each in plain
        if each["matches"]
    ]
    if not points:
        msg = ": nobody was in a match, so there is nothing to draw"
        raise InputError(msg, "plot")
    write("--plot", path, frontier_svg(points))


def _seconds(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f} s"


def _even(imbalance: float | None) -> str:
    return "-" if imbalance is None else f"{50 + 100 * imbalance:.1f}:{50 - 100 * imbalance:.1f}"


def _points(value: float | None) -> str:
    return "-" if value is None else f"{value:.0f}"
