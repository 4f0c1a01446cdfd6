"""``equipoise night --web`` and ``night links``: an evening in browsers, and what opens it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from equipoise.cli import archive_options
from equipoise.cli.output_options import Number, Whole
from equipoise.core.addresses import public_url
from equipoise.errors import InputError

if TYPE_CHECKING:
    from equipoise.service.process import Begun
    from equipoise.service.tonight import TonightLinks

#: Where an evening's page is served unless stated otherwise: to the whole network, as phones are to reach it.
EVERYWHERE = "0.0.0.0:8080"

evening_options = (
    click.option(
        "--name",
        default="night",
        show_default=True,
        metavar="NAME",
        help="The end of the link, and the lobby: 'night' is that of this command.",
    ),
    click.option(
        "--title", default="Tonight", metavar="TEXT", show_default=True, help="What the page is called."
    ),
    click.option("--hours", type=Number(), default=12.0, show_default=True, help="How long the links hold."),
    click.option(
        "--public-url",
        metavar="URL",
        default="",
        help="Where phones reach it, as https://games.example.",
    ),
    click.option("--teams", type=Whole(2, 8), default=2, show_default=True, help="How many teams."),
    click.option("--size", type=Whole(0, 64), default=0, help="At most N play in a team; others sit out."),
    click.option("--ruleset", default="", metavar="GAME/TYPE", help="What is played, where that matters."),
)


def _with_options(function: Any) -> Any:
    for option in reversed(evening_options):
        function = option(function)
    return function


@archive_options.step("web")
@click.argument("names", nargs=-1, metavar="[NAMES...]")
@_with_options
@click.option("--http", default=EVERYWHERE, show_default=True, metavar="HOST:PORT", help="Where to listen.")
def web(names: tuple[str, ...], store: str | None, as_json: bool, **options: Any) -> None:
    """Open an evening in everybody's browser.

    It prints a link, a code to scan, and a code word.  Also 'night --web'.  NAMES are there from the
    beginning; all others tap theirs.  Ctrl-C ends the service, and nothing is lost: the evening goes on with
    the next start.
    """
    from equipoise.service.listener import reached_at
    from equipoise.service.monitoring import log_events
    from equipoise.service.process import run
    from equipoise.service.settings import Settings

    base, url = _public(options), archive_options.address(store)
    settings = Settings(
        store=url, create=True, weights="127.0.0.1:0", http=options["http"], log_level="warning",
        public_url=base,
    )  # fmt: skip
    log_events(settings.log_level, as_json=False)
    links = _opened(url, names, options)

    def say(begun: Begun) -> None:
        where = base or reached_at(*(begun.http or ("", 0)))
        _tell(links, where, as_json=as_json)

    run(settings, say, lambda: settings)


@archive_options.step("links")
@_with_options
@click.option("--revoke", is_flag=True, help="Replace the links of an evening that goes on.")
def links(store: str | None, as_json: bool, revoke: bool, **options: Any) -> None:
    """Make links to an evening that 'equipoise serve' shows.

    It is opened, or one that goes on gets new links.  The links are shown once: the archive keeps
    their hashes alone.
    """
    from equipoise.service.tonight import renewed_links

    base, url = _public(options), archive_options.address(store)
    if revoke:
        with archive_options.filled(url) as archive:
            made = renewed_links(archive, options["name"], hours=options["hours"])
    else:
        made = _opened(url, (), options)
    _tell(made, base or "http://ADDRESS:PORT", as_json=as_json, code=bool(base))


def _public(options: dict[str, Any]) -> str:
    """Return the public address that the flags give."""
    try:
        return public_url(options["public_url"])
    except InputError as error:
        flag = "--public-url"
        raise error.named(flag) from None


def _opened(url: str, names: tuple[str, ...], options: dict[str, Any]) -> TonightLinks:
    """Open the evening, with those who are there from the beginning."""
    from equipoise.cli.night_names import lines_of
    from equipoise.service.tonight import Evenings, is_going_on, opened_evening, renewed_links

    name, hours = options["name"], options["hours"]
    with archive_options.filled(url) as archive:
        if is_going_on(archive, name):
            made = renewed_links(archive, name, hours=hours, revoke=False)
        else:
            made = opened_evening(
                archive, name, options["title"], hours=hours, teams=options["teams"],
                size=options["size"], ruleset=options["ruleset"],
            )  # fmt: skip
    if names:
        Evenings(url).add(options["name"], "\n".join(lines_of(names)))
    return made


def _tell(links: TonightLinks, base: str, *, as_json: bool, code: bool = True) -> None:
    """Say what opens the evening."""
    from equipoise.service.listener import is_local

    organiser, guests = links.organiser_link(base), links.guests_link(base)
    if as_json:
        plain = {"evening": links.evening, "organiser": organiser, "guests": guests, "code": links.code}
        click.echo(json.dumps(plain, indent=2))
        return
    if code:
        click.echo(drawn(guests))
    click.echo(f"Everybody: {guests}")
    click.echo(f"Code word: {links.code}, typed at {base}/tonight/")
    click.echo(f"Organiser: {organiser}")
    if is_local(base.partition("//")[2]):
        click.echo("Only this computer can open these; listen at 0.0.0.0:8080, or give --public-url.")
    elif base.startswith("http://") and code:
        click.echo("Phones must be in the same network (not its guests' one), the port open in the firewall.")


def drawn(link: str) -> str:
    """Return a link as a code to scan, for a terminal.

    Examples
    --------
    >>> lines = drawn("http://192.0.2.7:8080/tonight/thursday#k=abc").splitlines()
    >>> len(lines) * 2 - len(lines[0]) in (0, 1), set("".join(lines)) <= set(" ▀▄█")
    (True, True)
    """
    from equipoise.service.http.tonight_operations import qr_rows

    rows = qr_rows(link)
    rows += ["0" * len(rows[0])] * (len(rows) % 2)
    # Light on dark as most terminals are: what is white on paper is drawn.
    signs = {"00": "█", "01": "▀", "10": "▄", "11": " "}
    return "\n".join(
        "".join(signs[upper + lower] for upper, lower in zip(*pair, strict=True))
        for pair in zip(rows[::2], rows[1::2], strict=True)
    )
