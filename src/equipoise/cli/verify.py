"""``equipoise verify``: what a receipt claims, worked out again; and the receipts of ``balance``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from equipoise.cli.output_options import Number, print_json, table, table_forms, with_json, write
from equipoise.errors import InputError

if TYPE_CHECKING:
    from equipoise.teams.request import BalanceRequest
    from equipoise.teams.solution import Solution
    from equipoise.verification.receipt_check import Verification

#: Seconds after which what is not proven is left unconfirmed.
SECONDS = 10.0


@click.command(name="verify")
@click.argument("receipt", metavar="FILE")
@click.option(
    "--time-limit", type=Number(), default=SECONDS, show_default=True, metavar="SECONDS",
    help="Stop checking then; what is not checked stays unconfirmed.",
)  # fmt: skip
@with_json
@table_forms
def command(receipt: str, time_limit: float, as_json: bool, form: str | None = None) -> None:
    """Check the receipt FILE of 'equipoise balance --receipt', from its request alone.

    FILE may be - for standard input.  The check shares nothing with the search.
    The exit code is 1 if something is false; what cannot be confirmed is listed, and is no error.
    """
    from equipoise.core.clock import deadline
    from equipoise.files.file_kinds import check
    from equipoise.files.read_roster import content_of
    from equipoise.verification.receipt_check import verify
    from equipoise.verification.receipts import parse

    try:
        stop = deadline(time_limit)
    except InputError as error:
        flag = "--time-limit"
        raise error.named(flag) from error
    where, content = content_of(receipt)
    check(content, where, "receipt")
    verification = verify(parse(content, where), stop=stop)
    if as_json:
        print_json(verification.to_dict())
    elif form is not None:
        rows = [(finding.verdict, finding.claim, finding.detail) for finding in verification.findings]
        click.echo(table(("verdict", "claim", "detail"), rows, form))
    else:
        click.echo("\n".join(lines(verification)))
    if not verification.ok:
        sys.exit(1)


def lines(verification: Verification) -> list[str]:
    """Return what a person reads."""
    width = max(len(finding.verdict) for finding in verification.findings)
    rows = [
        f"{finding.verdict:<{width}}  {finding.claim}: {finding.detail}" for finding in verification.findings
    ]
    if not verification.ok:
        return [*rows, "The receipt is false."]
    if verification.confirmed:
        return [*rows, "The receipt is true."]
    return [*rows, "Nothing in the receipt is false; not all of it could be confirmed."]


def save_receipt(request: BalanceRequest, solution: Solution, path: str) -> None:
    """Write the receipt of an answer into a file."""
    import json

    from equipoise.verification.receipts import receipt

    write("--receipt", path, json.dumps(receipt(request, solution), indent=2) + "\n")
