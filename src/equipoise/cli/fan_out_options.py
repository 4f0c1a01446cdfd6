"""The options of commands that spread their work: over the cores of this machine, or a cluster of Ray."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import click

from equipoise.cli.output_options import Whole

#: What begins a cluster on this machine, which ends with the command.
HERE = ""

_ADDRESS = re.compile(r"auto|(ray://)?[^\s/:]+:\d{1,5}|(ray://)?\[[0-9a-fA-F:]+\]:\d{1,5}")


def _address(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    del context, parameter
    if value and not _ADDRESS.fullmatch(value):
        msg = (
            f"must be auto, HOST:PORT or ray://HOST:PORT, got {value!r}; without an address write --ray "
            "last, or --ray=auto for the cluster that runs here"
        )
        raise click.BadParameter(msg, param_hint="'--ray'")
    return value


def fan_out_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--ray`` and ``--workers``."""
    workers = click.option(
        "--workers", type=Whole(0), default=0, metavar="N",
        help="Processes on this machine; the results are the same.  [default: one a core where it pays]",
    )  # fmt: skip
    ray = click.option(
        "--ray", is_flag=False, flag_value=HERE, default=None, metavar="[ADDRESS]", callback=_address,
        help="Compute on a cluster of Ray; without an address on one that begins and ends here.",
    )  # fmt: skip
    return workers(ray(command))
