"""``equipoise doctor``: what is wrong with an installation of the weight server, and what helps."""

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
from equipoise.service.settings import place_of, read_settings


@click.command(name="doctor")
@click.option("--config", metavar="FILE", help="The TOML file of the server.")
@json_option("Print one JSON object per line.")
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
