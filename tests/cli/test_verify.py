"""``equipoise balance --receipt`` and ``equipoise verify``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.running import run

ROSTER = "9.1 Ann\n7.4 Bob\n5.5 Cid\n4.2 Dan\n3.3 Eve\n2.9 Fay\n"


@pytest.fixture
def receipt(tmp_path: Path) -> Path:
    """Return the receipt of a split, with a party and bots."""
    path = tmp_path / "receipt.json"
    done = run("balance", "-", "--party", "Ann,Fay", "--bots", "--receipt", str(path), stdin=ROSTER)
    assert done.returncode == 0, done.stderr
    return path


def test_a_receipt_is_confirmed_line_by_line(receipt: Path) -> None:
    """Text says of every claim what became of it; JSON says the same; the exit code is 0."""
    done = run("verify", str(receipt))
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "The receipt is true.")
    plain = json.loads(run("verify", str(receipt), "--json").stdout)
    assert (plain["ok"], plain["confirmed"]) == (True, True)
    claims = [finding["claim"] for finding in plain["findings"]]
    assert claims == ["hash", "request", "version", "fields", "units", "legality", "numbers", "proof"]
    assert run("verify", "-", stdin=receipt.read_text(encoding="utf-8")).returncode == 0


def test_a_false_receipt_ends_in_1(receipt: Path) -> None:
    """Where two players are exchanged by hand, the text says what is false."""
    whole = json.loads(receipt.read_text(encoding="utf-8"))
    teams = whole["answer"]["splits"][0]["teams"]
    teams[0][0], teams[1][0] = teams[1][0], teams[0][0]
    done = run("verify", "-", stdin=json.dumps(whole))
    assert (done.returncode, done.stdout.splitlines()[-1]) == (1, "The receipt is false.")
    assert "false          hash" not in done.stdout
    assert any(line.startswith("false") and "hash" in line for line in done.stdout.splitlines())


@pytest.mark.slow
def test_what_there_is_no_time_for_is_said_and_no_error(tmp_path: Path) -> None:
    """With no time at all the proof is not confirmed, and the exit code is 0."""
    path = tmp_path / "receipt.json"
    roster = "".join(f"{n * n % 97 + n / 10} p{n}\n" for n in range(20))
    run("balance", "-", "--receipt", str(path), stdin=roster)
    done = run("verify", str(path), "--time-limit", "0")
    assert done.returncode == 0
    assert done.stdout.splitlines()[-2].split(":")[0].split()[-1] == "proof"
    assert "not all of it could be confirmed" in done.stdout


@pytest.mark.parametrize(
    ("args", "stdin", "message"),
    [
        (("verify", "-"), "{}", "standard input: it does not say that it is of the format"),
        (("verify", "nowhere.json"), "", "nowhere.json: cannot be read"),
        (("verify", "-", "--time-limit", "-1"), "{}", "must be at least 0"),
        (("balance", "-", "--receipt", "/nowhere/x.json"), ROSTER, "--receipt: /nowhere/x.json cannot"),
    ],
)
def test_mistakes_are_named(args: tuple[str, ...], stdin: str, message: str) -> None:
    """A message begins with what was typed."""
    done = run(*args, stdin=stdin)
    assert done.returncode != 0
    assert message in done.stderr
