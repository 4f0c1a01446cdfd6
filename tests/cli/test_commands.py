"""The command line as a whole: what is listed, what is said of a wrong name, how it ends."""

from __future__ import annotations

import pkgutil
import re
import shlex
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import click
import pytest
from tests.cli.running import run, runner

from equipoise import cli
from equipoise.cli import COMMANDS, HOMES, RENAMED, SECTIONS, group
from equipoise.cli.request_options import AskingCommand
from equipoise.errors import UnknownNameError

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_every_command_is_listed() -> None:
    """Each file with a command has a line in the help, and each line a file."""
    files = {
        module.name.removesuffix("_").replace("_", "-")
        for module in pkgutil.iter_modules(cli.__path__)
        if hasattr(import_module(f"equipoise.cli.{module.name}"), "command")
    }
    assert files == set(COMMANDS) - set(HOMES)
    assert not set(COMMANDS) & set(RENAMED)


@pytest.mark.parametrize("old", RENAMED)
def test_a_command_that_was_renamed_says_how_it_is_written_now(old: str) -> None:
    """What it names is a command with the options that it shows."""
    done = run(old)
    assert done.returncode == 2
    assert f"it is now: equipoise {RENAMED[old]}" in done.stderr
    typed = [word for word in RENAMED[old].split() if word.islower()]
    path = [word for word in typed if not word.startswith("--")]
    command: click.Command = group
    for name in path:
        assert isinstance(command, click.Group)
        command = command.get_command(click.Context(command), name) or group
    assert {word for word in typed if word.startswith("--")} <= {
        option for param in command.params for option in param.opts
    }


def test_help_fits_one_screen() -> None:
    """``equipoise --help`` has at most 50 lines of at most 80 columns, and cuts nothing off."""
    lines = runner().invoke(group, ["--help"], terminal_width=80).output.splitlines()
    assert len(lines) <= 50
    assert max(map(len, lines)) <= 80
    text = " ".join(" ".join(lines).split())
    assert all(line in text for section in SECTIONS.values() for line in section.values())
    everything = " ".join(runner().invoke(group, ["--help-all"], terminal_width=80).output.split())
    assert all(line in everything for line in COMMANDS.values())


def _commands(group: click.Group, *path: str) -> Iterator[tuple[str, ...]]:
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        yield (*path, name)
        if isinstance(command, click.Group):
            yield from _commands(command, *path, name)


@pytest.mark.parametrize("typed", list(_commands(group)), ids=" ".join)
def test_every_help_is_whole(typed: tuple[str, ...]) -> None:
    """At 80 columns no line is longer and none is cut, and every option is there."""
    command: click.Command = group
    for name in typed:
        assert isinstance(command, click.Group)
        command = command.get_command(click.Context(command), name) or group
    asking = isinstance(command, AskingCommand)
    output = runner().invoke(group, [*typed, "--help-all" if asking else "--help"], terminal_width=80).output
    assert max(map(len, output.splitlines())) <= 80
    assert not re.search(r"^  \w+ .*\.\.\.$", output, re.MULTILINE)
    for param in command.params:
        if isinstance(param, click.Option) and not param.hidden:
            assert all(option in output for option in param.opts)


#: What people ask for most; the rest is in ``--help-all`` and in request files.
SHOWN = [
    *("read", "store", "here", "ruleset", "request", "teams", "size", "bots"),
    *("party", "clan-tags", "apart", "fix", "roles", "prefer", "avoid", "stay"),
    *("objective", "keep", "time-limit", "details", "names", "json", "csv", "plot", "receipt"),
]


def test_the_help_of_balance_has_what_people_ask_for_most() -> None:
    """These 25 options and no other; the last line says how to see the rest, which is 22."""
    output = runner().invoke(group, ["balance", "--help"], terminal_width=80).output
    shown = re.findall(r"^  --([a-z-]+)", output, re.MULTILINE)
    assert sorted(shown) == sorted(SHOWN)
    assert len(SHOWN) == 25
    everything = runner().invoke(group, ["balance", "--help-all"], terminal_width=80).output
    listed = re.findall(r"^  --([a-z-]+)", everything, re.MULTILINE)
    assert set(SHOWN) < set(listed)
    assert f"balance --help-all' lists {len(listed) - 25} more options." in output


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("blance", "there is no command 'blance'; did you mean 'balance'?"),
        ("xyzzy", "there is no command 'xyzzy'; 'equipoise --help' lists the commands."),
    ],
)
def test_a_misspelt_command_is_answered_with_the_nearest(typed: str, said: str) -> None:
    """Exit code 2, and the name that was probably meant."""
    result = runner().invoke(group, [typed])
    assert result.exit_code == 2
    assert said in result.stderr


def test_a_misspelt_name_is_answered_with_the_nearest() -> None:
    """Parts by name say what was probably meant as well as what is allowed."""
    assert "there is no 'mitn' (did you mean 'mitm'?)" in str(
        UnknownNameError("solver", "mitn", ["mitm", "auto"])
    )


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("balance {roster} --party Amber,Birhc", "there is no player 'Birhc'; did you mean 'Birch'?"),
        ("lobbies {players} {lobbies} --team-size 0", "--team-size must be from 1 to 1000000, got 0"),
        ("evaluate {matches} --skip 2", "--skip must be at least 0 and below 1, got 2.0"),
        ("rate {matches} --model eloo", "--model: there is no 'eloo' (did you mean 'elo'?)"),
        ("evaluate {matches} --models eloo", "--models: there is no 'eloo' (did you mean 'elo'?)"),
        ("predict {matches} --team Amber", "--team must be two or more"),
        ("ingest {matches} --store sqlite:///n.db --game doom", "--game: there is no 'doom'"),
        ("ingest {here} --store sqlite:///n.db", "there is no file in this directory"),
        ("board --out x.png", "--out must be a file that ends in .html or .htm, got x.png"),
        ("pages --store sqlite:///n.db --one-file x.pdf", "--one-file must be a file that ends in .html"),
        ("evaluate --what-if --store sqlite:///n.db --plot x.png", "--plot must be a file that ends in .svg"),
        ("balance {roster} --tolerance much", "--tolerance must be a number such as 0.02 or 2%, got 'much'"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_as_it_was_typed(
    typed: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its option, with what is allowed, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    names = {
        "roster": "roster.txt",
        "players": "players.csv",
        "lobbies": "lobbies.csv",
        "matches": "matches.jsonl",
    }
    places = {name: str(EXAMPLES / file) for name, file in names.items()}
    done = run(*(part.format(here=tmp_path, **places) for part in typed.split()))
    assert done.returncode in (1, 2)
    assert said in done.stderr
    assert not list(tmp_path.iterdir())


def test_a_share_may_be_per_cent() -> None:
    """As prices may."""
    roster = str(EXAMPLES / "roster.txt")
    percent, number = (run("balance", roster, "--tolerance", text) for text in ("5%", "0.05"))
    assert percent.stdout == number.stdout
    assert not percent.stderr


#: Commands whose answer is no table.
WITHOUT_TABLE = {
    "archive digest", "archive export", "archive import", "archive rebuild", "forget", "import-results",
    "ingest", "merge", "undo", "night result", "night won", "night draw", "night score", "night undo",
    "queue check", "queue empty", "games try", "night links", "night web",
}  # fmt: skip


def _options(typed: tuple[str, ...]) -> set[str]:
    command: click.Command = group
    for name in typed:
        assert isinstance(command, click.Group)
        command = command.get_command(click.Context(command), name) or group
    return {option for param in command.params for option in param.opts}


def test_every_table_has_every_form() -> None:
    """Whatever prints JSON prints CSV and Markdown too, unless its answer is no table."""
    forms = {
        " ".join(typed): _options(typed) & {"--json", "--csv", "--markdown"} for typed in _commands(group)
    }
    assert {typed for typed, options in forms.items() if options == {"--json"}} == WITHOUT_TABLE
    assert {len(options) for options in forms.values()} == {0, 1, 3}


@pytest.mark.parametrize(
    "typed", [typed for typed in _commands(group) if "--csv" in _options(typed)], ids=" ".join
)
def test_one_form_at_a_time(typed: tuple[str, ...]) -> None:
    """Two forms contradict each other, whatever the command and whichever comes first."""
    for one, other in (("--json", "--csv"), ("--markdown", "--json"), ("--csv", "--markdown")):
        done = run(*typed, one, other)
        assert (done.returncode, done.stdout) == (2, "")
        assert f"{one} cannot be used with {other}" in done.stderr


@pytest.mark.parametrize("typed", list(_commands(group)), ids=" ".join)
def test_an_option_that_takes_one_value_is_refused_when_repeated(typed: tuple[str, ...]) -> None:
    """Whatever the command and the option: the last one does not win over the others in silence."""
    command: click.Command = group
    for name in typed:
        assert isinstance(command, click.Group)
        command = command.get_command(click.Context(command), name) or group
    for param in command.params:
        if isinstance(param, click.Option) and not (param.multiple or param.count or param.is_eager):
            value = () if param.is_flag else ("1",)
            option = max(param.opts, key=len)
            ctx = click.Context(command)
            with pytest.raises(click.UsageError, match=f"^{option} is given 2 times"):
                command.make_parser(ctx).parse_args([option, *value] * 2)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["csv", "markdown"])
@pytest.mark.parametrize(
    ("typed", "column"),
    [
        ("balance {roster}", "player"),
        ("balance {roster} --front win,spread", "spread"),
        ("lobbies {players} {lobbies} --time-limit 1", "lobby"),
        ("rate {matches}", "player"),
        ("evaluate {matches}", "log-loss"),
        ("predict {matches} --team Amber --team Elm", "team"),
        ("night table --store sqlite:///n.db", "played"),
        ("tokens list --file none.json", "scope"),
        ("explain {roster}", "deviation"),
        ("late {running} --join '5 Zed'", "joins"),
        ("late {running}", "advantage"),
        ("explain {roster} --edit 'swap Amber Birch'", "deviation"),
        ("night plan --rounds 2 --store sqlite:///n.db", "game"),
        ("tune {matches} --steps 1", "setting"),
        ("night --store sqlite:///n.db Ann Bob Cid Dee", "player"),
    ],
)
def test_a_table_has_every_form(
    typed: str, column: str, form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CSV and Markdown begin with the columns, and nothing else is on the standard output.

    What people read of teams says the verdict above its table.
    """
    monkeypatch.chdir(tmp_path)
    names = ("roster.txt", "players.csv", "lobbies.csv", "matches.jsonl", "running.csv")
    places = {name.partition(".")[0]: str(EXAMPLES / name) for name in names}
    if "night plan" in typed:
        run("night", "--store", "sqlite:///n.db", "Ann", "Bob", "Cid", "Dee")
    done = run(*(part.format(**places) for part in shlex.split(typed)), f"--{form}")
    assert done.returncode == 0, done.stderr
    header, *rows = done.stdout.splitlines()
    if form == "markdown" and typed == "balance {roster}":
        assert header == "Even: 51 : 49. Proven best."
        blank, header, *rows = rows
        assert not blank
    assert column in (header.split(",") if form == "csv" else [cell.strip() for cell in header.split("|")])
    assert form == "csv" or all(row.startswith("|") for row in rows)
