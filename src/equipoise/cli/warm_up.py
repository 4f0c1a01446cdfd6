"""``equipoise warm-up``: every kernel is compiled beforehand."""

from __future__ import annotations

import click

from equipoise import notices
from equipoise.errors import UnsupportedError


@click.command(name="warm-up")
def command() -> None:
    """Compile what searches need, so that nobody waits later.

    Once for an installation, in about half a minute.  What is compiled is kept beside the package, or in a
    cache folder of the user, or in NUMBA_CACHE_DIR.
    """
    from equipoise.compiled import available, keeps
    from equipoise.serving.warming import missing
    from equipoise.teams.solvers.window_kernels import fill_teams

    if not available():
        click.echo("Nothing to compile: numba is not installed here, and searches run without it.")
        return
    if not keeps(fill_teams):
        msg = "nothing that is compiled can be kept here; set NUMBA_CACHE_DIR to a folder that can be written"
        raise UnsupportedError(msg)
    notices.compiling.clear()  # every step is named as it begins
    for step in missing():
        click.echo(f"Compiling: {step.what} ...", err=True)
        step.work(step.kernels)
    click.echo("Everything is compiled.")
