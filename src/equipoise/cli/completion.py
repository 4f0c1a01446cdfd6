"""What a shell completes besides commands and options: names of parts, and files."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem

from equipoise.cli.output_options import OptionType
from equipoise.core.registry import GAMES, LOBBY_SOLVERS, MODELS, OBJECTIVES, RERANKERS, SOLVERS, TERMS

#: The values of options, by their names; those of a command alone stand under both.
VALUES: dict[tuple[str, str] | str, tuple[str, ...]] = {
    "objective": tuple(OBJECTIVES),
    "objectives": tuple(OBJECTIVES),
    "then": (*OBJECTIVES, *TERMS),
    "rerank": tuple(RERANKERS),
    "solver": ("auto", *SOLVERS),
    ("lobbies", "solver"): ("auto", *LOBBY_SOLVERS),
    "deviation": ("squared", "absolute"),
    "model": tuple(MODELS),
    "models": (*MODELS, "all"),
    ("ingest", "game"): ("auto", *GAMES),
    ("watch", "game"): ("auto", *GAMES),
}

#: What stands for a file in the help.
FILES = ("FILE", "ROSTER", "PATH", "PLAYERS", "LOBBIES", "RECEIPT")


class Completed(OptionType):
    """Text that a shell completes to one of some names, or to a file where there are none."""

    name = "text"

    def __init__(self, names: tuple[str, ...] = ()) -> None:
        self.names = names

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the names that go on from what was typed."""
        del ctx, param
        if not self.names:
            return [CompletionItem(incomplete, type="file")]
        return [CompletionItem(name) for name in self.names if name.startswith(incomplete)]


def complete_values(name: str, command: click.Command) -> None:
    """Let the options and arguments of a command be completed to what they take."""
    for param in command.params:
        names = VALUES.get((name, param.name or "")) or VALUES.get(param.name or "")
        shown = str(param.metavar or param.type.get_metavar(param, click.Context(command)) or "")
        if names is not None:
            param.type = Completed(names)
        elif shown.startswith(FILES) or shown.endswith("FILE"):
            param.type = Completed()
