"""``equipoise doctor``: what is wrong with an installation of the weight server, and what helps."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from typing import Any

import click

from equipoise.cli.serve import flags
from equipoise.server.settings import read_settings


@click.command(name="doctor")
@click.option("--config", metavar="FILE", help="The TOML file of the server.")
@click.option("--json", "as_json", is_flag=True, help="Write a JSON object a line.")
@flags
def command(config: str | None, as_json: bool, **typed: Any) -> None:
    """Say what is wrong with a weight server, and how to fix it.

    Takes the settings of serve, from the same file, environment and flags; run it as the same user.
    Exit code 1 means that something is wrong.
    """  # fmt: skip
    settings = read_settings(config, os.environ, typed)

    from equipoise.server.doctor import examine

    wrong = 0
    for finding in examine(settings):
        wrong += bool(finding.fix)
        if as_json:
            click.echo(json.dumps(asdict(finding)))
        else:
            click.echo(f"{'wrong' if finding.fix else 'ok'}: {finding.what}")
            if finding.fix:
                click.echo(f"  fix: {finding.fix}")
    sys.exit(1 if wrong else 0)
