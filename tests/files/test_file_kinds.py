"""What a file is, by its first bytes: what each reader refuses, and says of it."""

from __future__ import annotations

import gzip
import json

import pytest

from equipoise.files.file_kinds import READERS, kind_of, mistaken

NEXUIZ = b":logversion:3\n:gamestart:tdm_aggressor:1\n"
TABLE = b"name,weight\nAnn,3\nBob,4\n"


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (b"SQLite format 3\0...", "archive"),
        (b"PAR1....", "parquet"),
        (b"%PDF-1.7", "document"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "spreadsheet"),
        (b"PK\x03\x04...xl/workbook", "spreadsheet"),
        (b"PK\x03\x04...word/document", "document"),
        (b"PK\x03\x04ids.npy", "arrays"),
        (b"PK\x03\x04...", "zip"),
        (b"\xfd7zXZ\x00\xff", "compressed"),
        (gzip.compress(b"hello", mtime=0), "compressed"),
        (gzip.compress(NEXUIZ, mtime=0), "log"),
        (b"BZh is a name", None),
        (b"BZh\xff", "compressed"),
        (b"\x89PNG\r\n\0", "picture"),
        (b"BM is a name", None),
        (b"BM\0", "picture"),
        (b"<svg>", "picture"),
        (b" \n<!DOCTYPE HTML>", "document"),
        (b"<html", "document"),
        (b"<Ann> 30", None),
        (b"\xef\xbb\xbf<html", "document"),
        (NEXUIZ, "log"),
        (b"Ann 30\nBob 40\n", None),
        (b"match,ended,team,player\n", "matches"),
        (b'"Match";"Ended";"Team";"Player";"x"\n', "matches"),
        (b"match,ended,team\n", None),
        (b"name,target\n", "lobbies"),
        (b"name\tMin_Teams\n", "lobbies"),
        (b"target,max_teams\n", None),
        (b"date,a,b,winner\n", "results"),
        (b"date,a,b,Final score\n", "results"),
        (b"date,a,b\n", None),
        (b"a,b,winner\n", "results"),
        (TABLE, None),
        (b"", None),
    ],
)
def test_a_file_is_known_by_its_beginning(content: bytes, name: str | None) -> None:
    """What is not certain is nothing."""
    kind = kind_of(content, "x")
    assert (None if kind is None else kind.name) == name


@pytest.mark.parametrize(
    ("data", "name"),
    [
        ({"ended": 1, "teams": []}, "matches"),
        ({"ranks": [], "teams": []}, "matches"),
        ({"teams": []}, None),
        ({"ended": 1}, None),
        ([{"scores": [], "teams": []}], "matches"),
        ([], None),
        ([1], None),
        (["a"], None),
        ({"players": [], "teams": 2}, "request"),
        ({"players": [], "objective": "win"}, "request"),
        ({"players": [], "beta": 3}, None),
        ({"players": [], "teams": 2, "ended": 1}, "request"),
        ({"Ann": 3}, None),
        ({"format": "equipoise receipt 1"}, "receipt"),
        ([{"name": "Ann"}], None),
    ],
)
def test_json_is_known_by_its_keys(data: object, name: str | None) -> None:
    """Whole, and as the first line of many; what is cut is nothing."""
    text = json.dumps(data).encode()
    for content in (
        text,
        text + b"\n" + text,
        b"\xef\xbb\xbf\n " + text,
        json.dumps(data, indent=2).encode(),
    ):
        kind = kind_of(content, "x")
        assert (None if kind is None else kind.name) == name
    if name != "receipt":
        assert kind_of(text[:-1]) is None


@pytest.mark.parametrize("reader", READERS)
def test_each_reader_takes_its_own_and_names_others(reader: str) -> None:
    """With what reads them; lists of players only where they are not asked for."""
    for content in (
        NEXUIZ,
        b"PAR1",
        b"name,target\n",
        b"date,winner\n",
        b'{"ended": 1, "teams": []}',
        b"PK\x03\x04",
    ):
        kind = kind_of(content, "x")
        assert kind is not None
        wanted = None if kind.name in READERS[reader] else f"x is {kind.shown}; {kind.remedy}"
        assert mistaken(content, "x", reader) == wanted
    for players in (TABLE, b"30 Ann\n40 Bob\n", b"Ann\nBob\n"):
        reported = mistaken(players, "x", reader)
        if reader in ("players", "plan"):
            assert reported is None
        else:
            assert reported == "x is a list of players; 'equipoise balance' divides them"
    for no_list in (b"Ann 30\n", b"a,b\nc,d\n", b"a{b\nc\n", b"what is this?\n"):
        assert mistaken(no_list, "x", "matches") is None
    assert mistaken(b"players: Ann\n30 Bob\n40 Cid\n", "x", "request") is None
