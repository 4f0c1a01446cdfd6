"""``equipoise warm-up``: every kernel is compiled beforehand."""

from __future__ import annotations

import click

from equipoise.core import notices
from equipoise.errors import UnsupportedError


@click.command(name="warm-up")
def command() -> None:
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
