"""``equipoise doctor`` and ``warm-up``: what is wrong with an installation, and what helps beforehand."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from functools import partial
from typing import Any

import click

from equipoise.cli.output_options import json_option, table, table_forms
from equipoise.cli.serve import flags, naming
from equipoise.core import notices
from equipoise.errors import UnsupportedError
from equipoise.service.settings import place_of, read_settings


@click.command(name="doctor")
@click.option("--config", metavar="FILE", help="The TOML file of the server.")
@json_option("Print JSON.")
@table_forms
@flags
def command(config: str | None, as_json: bool, form: str | None = None, **typed: Any) -> None:
    """Say what is wrong with a weight server, and how to fix it.

    Takes the settings of serve, from the same file, environment and flags; run it as the same user.
    Exit code 1 means that something is wrong.
    """  # fmt: skip
    from equipoise.service.doctor import examine

    place = partial(place_of, path=config, environment=os.environ, flags=typed)
    with naming(place):
        settings = read_settings(config, os.environ, typed)
    findings = []
    for finding in examine(settings, place):
        findings.append(finding)
        if form is None and not as_json:
            click.echo(f"{'wrong' if finding.fix else 'ok'}: {finding.what}")
            if finding.fix:
                click.echo(f"  fix: {finding.fix}")
    wrong = any(finding.fix for finding in findings)
    if as_json:
        plain = [{"ok": not finding.fix, **asdict(finding)} for finding in findings]
        click.echo(json.dumps({"ok": not wrong, "findings": plain}, indent=2))
    if form is not None:
        rows = [("wrong" if finding.fix else "ok", finding.what, finding.fix) for finding in findings]
        click.echo(table(("status", "finding", "fix"), rows, form))
    sys.exit(1 if wrong else 0)


@click.command(name="warm-up")
def warm_up() -> None:
    """Compile what searches need, so that nobody waits later.

    Once per installation; it takes about half a minute.  What is compiled is kept beside the package, or in a
    cache folder of the user, or in NUMBA_CACHE_DIR.
    """
    from equipoise.core.compiled import available
    from equipoise.service.kernel_warmup import warm_up

    if not available():
        click.echo("Nothing to compile: numba is not installed here, and searches run without it.")
        return
    notices.compiling.clear()  # every step is named as it begins
    if not warm_up(lambda step: click.echo(f"Compiling: {step} ...", err=True)):
        msg = "nothing that is compiled can be kept here; set NUMBA_CACHE_DIR to a folder that can be written"
        raise UnsupportedError(msg)
    click.echo("Everything is compiled.")
