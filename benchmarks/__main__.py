"""Run benchmarks: ``python -m benchmarks NAME [OPTIONS]``, ``--list``, or ``--check [NAME ...]``.

NAME is that of a module in one of the folders here; ``--help`` behind it tells its options.
``--list`` tells what there is.
``--check`` measures nothing: it tells whether pages are what their raw results in ``results/`` give, all
pages where no names are given.
"""

from __future__ import annotations

import ast
import sys
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).parent

#: Every benchmark by its name: a module with ``main``, in a folder of its subject.
SCRIPTS = {
    path.stem: path
    for path in sorted(HERE.glob("*/*.py"))
    if path.parent.name != "peers" and "\ndef main(" in path.read_text(encoding="utf-8")
}


def summary(path: Path) -> str:
    """Return the first line of a module's docstring, without running the module."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return text.partition("\n")[0].partition(": ``python -m")[0].rstrip(".")


def has_results(name: str) -> bool:
    """Tell whether a page follows from raw results that are kept under this name."""
    return any((HERE / "results" / f"{name}{ending}").exists() for ending in (".json", ".jsonl"))


def run(name: str, *options: str) -> int:
    """Run one benchmark with what would follow its name on the command line; return its exit code."""
    path, before = SCRIPTS[name], sys.argv
    sys.argv = [f"python -m benchmarks {name}", *options]
    try:
        code: int = import_module(f"benchmarks.{path.parent.name}.{name}").main()
        return code
    finally:
        sys.argv = before


def main() -> int:
    """Do what the command line says."""
    first, *rest = sys.argv[1:] or ["--help"]
    if first == "--list":
        for folder in sorted({path.parent.name for path in SCRIPTS.values()}):
            print(folder)
            for name, path in SCRIPTS.items():
                if path.parent.name == folder:
                    print(f"  {name:16} {summary(path)}")
        return 0
    names = (rest or list(filter(has_results, SCRIPTS))) if first == "--check" else [first]
    if first in ("-h", "--help"):
        print(__doc__)
        return 0
    if unknown := [name for name in names if name not in SCRIPTS]:
        print(f"there is no benchmark {unknown[0]!r}; there are: {', '.join(SCRIPTS)}", file=sys.stderr)
        return 2
    if first != "--check":
        return run(first, *rest)
    return max([run(name, "--check") for name in names])


if __name__ == "__main__":
    sys.exit(main())
