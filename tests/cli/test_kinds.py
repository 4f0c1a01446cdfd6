"""A wrong kind of file is named in one line, with what reads it, whichever command gets it."""

from __future__ import annotations

import gzip
import io
import json
import sqlite3
import zipfile
from pathlib import Path

import pytest
from tests.cli.running import run
from tests.games.samples import DATA, PLAIN, UT2004_CTF, XONOTIC

from equipoise.files.file_kinds import READERS, kind_of, mistaken

TABLE = "match,ended,team,player,team_score\n1,2026-01-01,1,Ann,3\n1,2026-01-01,2,Bob,1\n"


def _zip(name: str) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as file:
        file.writestr(name, "x")
    return content.getvalue()


def _database() -> bytes:
    with sqlite3.connect(":memory:") as database:
        database.execute("CREATE TABLE a (b)")
        return database.serialize()


#: Files by name: their content, the kind that it is, and what must be said of it.
FILES: dict[str, tuple[bytes, str, str]] = {
    "nexuiz.log": (
        gzip.decompress((DATA / "nexuiz00000001.log.gz").read_bytes()), "log", "'equipoise ingest' reads it",
    ),
    "arena.log.gz": (
        (DATA / "tdm_oa_dm5_4v4_16bots_ts25.log.gz").read_bytes(), "log", "'equipoise ingest' reads it",
    ),
    "xonotic.log": (XONOTIC.encode(), "log", "the log of a Xonotic server"),
    "ut2004.log": (UT2004_CTF.encode(), "log", "the log of a UT2004 server"),
    "matches.jsonl": (PLAIN.encode(), "matches", "'equipoise rate' and 'equipoise ingest' read it"),
    "matches.csv": (TABLE.encode(), "matches", "'equipoise rate' and 'equipoise ingest' read it"),
    "results.csv": (b"date,red,blue,result\n2026-01-31,Ann,Bob,red\n", "results", "import-results"),
    "lobbies.csv": (b"name,target,min_teams\nA,4.2,2\n", "lobbies", "'equipoise lobbies' fills them"),
    "games.db": (_database(), "archive", "--store sqlite:///"),
    "all.parquet": (b"PAR1" + bytes(20) + b"PAR1", "parquet", "'equipoise archive import'"),
    "receipt.json": (b'{"format": "equipoise receipt 1"}', "receipt", "'equipoise verify' checks it"),
    "request.json": (
        json.dumps({"players": [{"name": "Ann"}, {"name": "Bob"}], "objective": "win"}, indent=1).encode(),
        "request", "--request",
    ),
    "teams.png": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "picture", "a picture (PNG)"),
    "teams.svg": (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "picture", "a picture (SVG)"),
    "names.xlsx": (_zip("xl/workbook.xml"), "spreadsheet", "save it as CSV"),
    "names.docx": (_zip("word/document.xml"), "document", "copy its text"),
    "names.pdf": (b"%PDF-1.7\n\0\xff", "document", "copy its text"),
    "names.html": (b"<!DOCTYPE html><p>Ann</p>", "document", "copy its text"),
    "names.zip": (_zip("names.txt"), "zip", "unpack it first"),
    "names.txt.gz": (gzip.compress(b"Ann\nBob\n"), "compressed", "unpack it first"),
    "names.txt": (b"Ann\nBob\nCid\nDan\n", "players", "'equipoise balance' divides them"),
    "weights.csv": (b"name,weight\nAnn,3\nBob,4\n", "players", "'equipoise balance' divides them"),
}  # fmt: skip

#: What is typed for each command, with the file last, and the reader that it has.
TYPED = {
    ("balance",): "players",
    ("explain",): "players",
    ("late",): "players",
    ("lobbies", "--premades"): "plan",
    ("balance", "--here", "LAST", "--store", "sqlite:///no.db"): "players",
    ("rate",): "matches",
    ("evaluate",): "matches",
    ("tune",): "matches",
    ("predict", "--team", "Ann", "--team", "Bob"): "matches",
    ("ingest", "--store", "NEW"): "logs",
    ("import-results", "--store", "NEW"): "results",
    ("archive", "import", "--store", "NEW"): "export",
    ("verify",): "receipt",
    ("balance", "--request"): "request",
}


@pytest.mark.slow
@pytest.mark.parametrize("typed", TYPED, ids=" ".join)
def test_every_command_names_every_wrong_kind_in_one_line(typed: tuple[str, ...], tmp_path: Path) -> None:
    """Whatever the command; and nothing is made."""
    new = tmp_path / "new.db"
    for name, (content, kind, said) in FILES.items():
        if kind in READERS[TYPED[typed]]:
            continue
        path = tmp_path / name
        path.write_bytes(content)
        args = [{"NEW": f"sqlite:///{new}", "LAST": str(path)}.get(word, word) for word in typed]
        if "--premades" in typed:
            args = ["lobbies", str(path), str(path)]
        elif "LAST" not in typed:
            args.append(str(path))
        done = run(*args)
        errors = [line for line in done.stderr.splitlines() if line]
        assert done.returncode == 1, (args, done)
        assert len(errors) == 1, (args, done)
        assert name in errors[0], (args, done)
        assert said in errors[0], (args, done)
        assert not new.exists(), args


@pytest.mark.parametrize("name", FILES)
def test_kinds_are_known_by_their_first_bytes(name: str) -> None:
    """And each reader takes those of its own."""
    content, kind, _ = FILES[name]
    found = kind_of(content)
    assert (found.name if found is not None else "players") == kind
    for reader, taken in READERS.items():
        assert (mistaken(content, name, reader) is None) == (kind in taken), reader


@pytest.mark.parametrize(
    "text",
    ["", "Ann", "BM\nGIF8\n", "BZh\nPK\nBob\n", "<Ann>\n<Bob>", "1:20 Ann\n2:30 Bob\n", '["Ann", "Bob"]',
     '{"Ann": 3, "Bob": 4}', "name,score\nAnn,3\nBob,4\n", "[TAG] Ann\n[TAG] Bob\n", "\xff\xfe"],
)  # fmt: skip
def test_what_people_type_is_taken_for_no_other_kind(text: str) -> None:
    """Names may begin as other formats do."""
    assert kind_of(text.encode()) is None


def test_a_failed_ingest_leaves_no_database(tmp_path: Path) -> None:
    """Nor what SQLite keeps beside it."""
    log = tmp_path / "server.log"
    log.write_text("nothing that anybody knows\n" * 3 + "{\n")
    assert run("ingest", "--store", f"sqlite:///{tmp_path / 'new.db'}", str(log)).returncode == 1
    assert [path.name for path in tmp_path.iterdir()] == ["server.log"]


def test_a_failure_leaves_an_archive_with_matches_alone(tmp_path: Path) -> None:
    """What could be read stays."""
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.txt"
    good.write_text(PLAIN)
    bad.write_text("Ann\nBob\n")
    store = f"sqlite:///{tmp_path / 'new.db'}"
    done = run("ingest", "--store", store, str(bad), str(good))
    assert done.returncode == 1
    assert "4 new matches" in done.stdout
    assert "Ann" in run("players", "--store", store).stdout.title()


def test_a_file_without_any_match_is_not_answered_line_by_line(tmp_path: Path) -> None:
    """A few lines, how many more, and what helps."""
    path = tmp_path / "matches.jsonl"
    path.write_text("{oh}\n" * 500)
    errors = run("evaluate", str(path)).stderr.splitlines()
    assert len(errors) == 12
    assert "490 more" in errors[10]
