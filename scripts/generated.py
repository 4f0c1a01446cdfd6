"""What is made from code and results: reference, schemas, pictures, board, grammar, pages, the site.

``python scripts/generated.py`` writes all of it; ``--check`` writes nothing but the site, which is no part of
the repository, and exits with 1 where something is stale or a link of the documents is broken.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from itertools import chain
from pathlib import Path

import ours_alone  # noqa: F401  # before anything reads a registry

# isort: split
import figures
import minified
import paste_grammar
import reference

ROOT = Path(__file__).resolve().parent.parent


def stale(*, check: bool) -> list[str]:
    """Return which files are not what the code makes; write them unless it is only to be looked."""
    names = []
    makers = (reference, figures, minified, paste_grammar)
    for name, text in chain.from_iterable(maker.made().items() for maker in makers):
        path = ROOT / name
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        names.append(name)
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return names


def pages(*, check: bool) -> int:
    """Look at the pages of benchmarks that follow from results, or write them; return the exit code."""
    sys.path.insert(0, str(ROOT))
    from benchmarks.__main__ import SCRIPTS, has_results, run

    return max([run(name, "--check" if check else "--report") for name in SCRIPTS if has_results(name)])


def start_site() -> subprocess.Popen[bytes]:
    """Begin to build the site of the documents, which ends with 1 where a link is broken."""
    return subprocess.Popen([sys.executable, ROOT / "scripts" / "site", ROOT / "build" / "site"])


def main() -> int:
    """Write or check what is generated."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, exit 1 if something is stale")
    check = parser.parse_args().check
    # To look at everything the site can be built beside it; what is written has to be there before.
    site = start_site() if check else None
    found = stale(check=check)
    if check and found:
        print(f"stale: {', '.join(found)}; run: python scripts/generated.py", file=sys.stderr)
    code = pages(check=check)
    return max(code, (site or start_site()).wait(), int(check and bool(found)))


if __name__ == "__main__":
    sys.exit(main())
