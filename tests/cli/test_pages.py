"""``equipoise pages`` and ``equipoise pages --one-file``: an archive as static files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tests.cli.running import run

from equipoise.archive.archive import open_archive
from equipoise.archive.sqlite import Sqlite
from equipoise.core.match import Contest, Match, Ruleset
from equipoise.pages.html.site import Site, slug
from equipoise.service.archive_workers import ForgottenPlayer, Keeping, UndoneGame
from equipoise.service.exported_site import export, finish, write_site


@pytest.fixture
def store(tmp_path: Path) -> str:
    """Return the address of an archive with a few results."""
    results = tmp_path / "results.jsonl"
    lines = [
        f'{{"at": {60 * n}, "teams": [["Ann", "Bob"], ["Cid", "Dan"]], "ranks": [{1 + n % 2}, {2 - n % 2}]}}'
        for n in range(1, 9)
    ]
    results.write_text("\n".join(lines) + "\n", encoding="utf-8")
    url = f"sqlite:///{tmp_path / 'games.db'}"
    assert run("ingest", "--game", "plain", str(results), "--store", url).returncode == 0
    return url


@pytest.mark.slow
def test_a_folder_of_pages_is_written(store: str, tmp_path: Path) -> None:
    """There is an index, the board, and a folder for each kind."""
    out = tmp_path / "site"
    done = run("pages", "--store", store, "--out", str(out))
    assert (done.returncode, done.stderr) == (0, "")
    assert {
        "404.html",
        "equipoise-pages.json",
        "index.html",
        "board.html",
        "leaderboard",
        "match",
        "player",
        "fairness",
        "servers",
        "search",
    } == {entry.name for entry in out.iterdir()}
    assert "8 games of 4 players" in (out / "index.html").read_text(encoding="utf-8")
    assert run("pages", "--store", store, "--out", str(out), "--split", "1970-01-02").returncode == 0


def test_a_report_is_one_file(store: str, tmp_path: Path) -> None:
    """It refers to nothing else."""
    out = tmp_path / "report.html"
    assert run("pages", "--store", store, "--one-file", str(out)).returncode == 0
    page = out.read_text(encoding="utf-8")
    assert 'rel="icon" href="data:' in page
    assert page.count("href=") == 1


def test_a_folder_that_cannot_be_written_is_named(store: str, tmp_path: Path) -> None:
    """The message begins with the flag."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    for option, name in (("--out", "x"), ("--one-file", "x.html")):
        done = run("pages", "--store", store, option, str(tmp_path / "file" / name))
        assert done.returncode == 1
        assert f"error: {option}:" in done.stderr


def test_who_is_forgotten_leaves_an_exported_site(store: str, tmp_path: Path) -> None:
    """Pages that are no longer right are written again or removed; nothing else is touched."""
    out = tmp_path / "site"
    assert run("pages", "--store", store, "--out", str(out)).returncode == 0
    own = out / "player" / "own.html"
    own.write_text("Ann's own page", encoding="utf-8")
    cid = next((out / "player").glob("cid*"))
    cid.write_text("changed by hand", encoding="utf-8")
    done = run("forget", "ann", "--store", store)
    assert done.returncode == 0
    assert "pages are right again, 1 removed" in done.stderr
    pages = [path for path in out.rglob("*.html") if path != own and path.name != "board.html"]  # its example
    assert pages
    assert not [path for path in pages if "Ann" in path.read_text(encoding="utf-8")]
    assert own.read_text(encoding="utf-8") == "Ann's own page"
    assert "Cid" in cid.read_text(encoding="utf-8")


def named(out: Path, name: str) -> list[str]:
    """Return the pages of a folder with a name in them, but for the board, whose example has names."""
    pages = [path for path in out.rglob("*.html") if path.name != "board.html"]
    assert pages
    return [path.name for path in pages if name in path.read_text(encoding="utf-8")]


@pytest.fixture
def kept(store: str, tmp_path: Path) -> tuple[str, Path]:
    """Return an archive with a site; Bob is forgotten as by a command that is killed before the pages."""
    out = tmp_path / "site"
    assert run("pages", "--store", store, "--out", str(out)).returncode == 0
    with open_archive(store) as archive:
        assert archive.sites() == [{"folder": str(out), "split": None, "language": "en"}]
        archive.forget("Bob")
    assert named(out, "Bob")
    return store, out


def test_forgetting_again_finishes_the_pages_that_a_kill_left(kept: tuple[str, Path]) -> None:
    """Although nothing of that name is left; the time after that there is nothing to remove."""
    store, out = kept
    done = run("forget", "Bob", "--store", store)
    assert done.returncode == 0
    assert "pages are right again, 1 removed" in done.stderr
    assert not named(out, "Bob")
    assert "1 removed" not in run("forget", "Bob", "--store", store).stderr


@pytest.mark.parametrize(
    "words",
    [
        ["pages", "--out", "{out}"],
        ["pages", "--out", "{out}-other"],
        ["pages", "--one-file", "{out}.html"],
        ["undo", "none"],
        ["ingest", "{out}/../results.jsonl"],
        ["archive", "rebuild"],
        ["night", "in", "Ann"],
    ],
    ids=" ".join,
)
def test_what_writes_next_finishes_the_pages_that_a_kill_left(
    kept: tuple[str, Path], words: list[str]
) -> None:
    """Whatever it is for, and whatever else becomes of it."""
    store, out = kept
    run(*[word.format(out=out) for word in words], "--store", store)
    assert not named(out, "Bob")
    with open_archive(store) as archive:
        assert not [site for site in archive.sites() if "due" in site]


def test_merging_again_finishes_the_pages_and_says_the_names_that_were_given(
    store: str, tmp_path: Path
) -> None:
    """Both count as one, so that it takes the words of who asks to tell them apart."""
    add(store, 900.0, [["Annie", "Bob"], ["Cid", "Dan"]])
    out, anew = tmp_path / "site", tmp_path / "anew"
    assert run("pages", "--store", store, "--out", str(out)).returncode == 0
    with open_archive(store) as archive:
        archive.merge("Ann", "Annie")
    done = run("merge", "ann", "Annie", "--store", store)
    assert done.returncode == 1
    assert "merge: 'ann' and 'Annie' are one person already" in done.stderr
    assert "pages are right again, 1 removed" in done.stderr
    with open_archive(store) as archive:
        write_site(archive, anew, None)
    assert contents(out) == contents(anew)


def test_a_server_finishes_the_pages_that_a_kill_left(kept: tuple[str, Path]) -> None:
    """As it is asked to forget the same person again."""
    store, out = kept
    list(Keeping(store, 10.0)(ForgottenPlayer("Bob")))
    assert not named(out, "Bob")


def cut_off_exports(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let an export end, as by a kill, before the page of the search."""
    pages = Site.page

    def page(site: Site, path: str) -> str | None:
        if path.startswith("search"):
            raise KeyboardInterrupt
        return pages(site, path)

    monkeypatch.setattr(Site, "page", page)


def test_a_first_export_that_a_kill_cut_off_is_reached_by_corrections(
    store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The archive knows of the folder before there is a page in it, and no longer where none could be."""
    out = tmp_path / "site"
    with open_archive(store) as archive:
        cut_off_exports(monkeypatch)
        with pytest.raises(KeyboardInterrupt):
            export(archive, out, None)
        monkeypatch.undo()
    assert named(out, "Bob")
    assert "pages are right again" in run("forget", "Bob", "--store", store).stderr
    assert not named(out, "Bob")
    (tmp_path / "file").write_text("", encoding="utf-8")
    with open_archive(store) as archive:
        with pytest.raises(OSError, match="file"):
            export(archive, tmp_path / "file" / "site", None)
        assert [site["folder"] for site in archive.sites()] == [str(out)]


def test_a_page_of_an_export_that_was_cut_off_twice_is_removed(
    store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No manifest lists it yet, and the second list of what is being written has it too."""
    out = tmp_path / "site"
    cut_off_exports(monkeypatch)
    with open_archive(store) as archive:
        with pytest.raises(KeyboardInterrupt):
            export(archive, out, None)
        archive.forget("Bob")
        with pytest.raises(KeyboardInterrupt):
            finish(archive, print)
        monkeypatch.undo()
        assert list((out / "player").glob("bob*"))
        finish(archive, print)
    assert not list((out / "player").glob("bob*"))


def test_a_later_correction_stays_due_while_an_earlier_one_is_written(kept: tuple[str, Path]) -> None:
    """Who has written the pages of an earlier revision takes back no note of a later one."""
    store, out = kept
    with open_archive(store) as archive:
        (before,) = archive.sites()
        archive.undo(archive.listed(None, 1)[0].match.id)
        (after,) = archive.sites()
        assert before["due"] < after["due"]
        archive.end_site(str(out), before["due"])
        assert archive.sites() == [after]
        archive.end_site(str(out), after["due"])
        assert archive.sites() == [{key: after[key] for key in after if key != "due"}]


def test_what_is_forgotten_is_overwritten_after_a_kill(
    store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next command that writes rewrites the file and says so; the one after that has nothing to do."""

    def cut(database: Sqlite) -> None:
        raise KeyboardInterrupt

    with open_archive(store) as archive:
        monkeypatch.setattr(Sqlite, "scrub", cut)
        with pytest.raises(KeyboardInterrupt):
            archive.forget("Bob")
        monkeypatch.undo()
    assert "is rewritten without who was forgotten" in run("archive", "rebuild", "--store", store).stderr
    assert "is rewritten" not in run("archive", "rebuild", "--store", store).stderr


def test_the_next_export_removes_what_a_correction_elsewhere_left(store: str, tmp_path: Path) -> None:
    """A page of somebody who is gone stays where somebody else has written something there."""
    out, moved = tmp_path / "site", tmp_path / "moved"
    assert run("pages", "--store", store, "--out", str(out)).returncode == 0
    out.rename(moved)
    done = run("forget", "Ann", "--store", store)
    assert "which is not here" in done.stderr
    changed = next((moved / "player").glob("ann*"))
    changed.write_text("mine", encoding="utf-8")
    done = run("pages", "--store", store, "--out", str(moved))
    assert done.returncode == 0
    assert "was changed by somebody else" in done.stderr
    assert changed.read_text(encoding="utf-8") == "mine"


def test_a_manifest_cannot_name_files_elsewhere(store: str, tmp_path: Path) -> None:
    """It is refused, and nothing is removed."""
    out, other = tmp_path / "site", tmp_path / "other.html"
    other.write_text("", encoding="utf-8")
    out.mkdir()
    manifest = '{"format": 1, "pages": {"../other.html": ""}}'
    (out / "equipoise-pages.json").write_text(manifest, encoding="utf-8")
    done = run("pages", "--store", store, "--out", str(out))
    assert done.returncode == 1
    assert "error: --out: " in done.stderr
    assert other.exists()


def test_a_match_taken_back_by_a_server_leaves_an_exported_site(store: str, tmp_path: Path) -> None:
    """As one by the command line does, and it comes back with the match."""
    out = tmp_path / "site"
    assert run("pages", "--store", store, "--out", str(out)).returncode == 0
    before = (out / "index.html").read_text(encoding="utf-8")
    with open_archive(store) as archive:
        match = archive.listed(None, 1)[0].match.id
    keeping = Keeping(store, 10.0)
    list(keeping(UndoneGame(match, back=False)))
    after = (out / "index.html").read_text(encoding="utf-8")
    assert "8 games of 4 players" in before
    assert "7 games of 4 players" in after
    list(keeping(UndoneGame(match, back=True)))
    assert (out / "index.html").read_text(encoding="utf-8") == before


def contents(folder: Path) -> dict[str, bytes]:
    """Return all files of a folder but the manifest."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != "equipoise-pages.json"]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def add(store: str, at: float, teams: list[list[str]], first: float = 1.0, called: str = "{who}") -> None:
    """Keep a result; those of the first team are called something."""
    contest = Contest(Ruleset(), teams, (first, 3.0 - first), at=at, scores=(3.0 - first, first))
    names = [(who, called.format(who=who, at=at)) for who in teams[0]]
    with open_archive(store) as archive:
        archive.record([Match((contest,), id=f"g{at:g}", names=names)])


def test_a_result_rewrites_what_shows_it_and_nothing_else(store: str, tmp_path: Path) -> None:
    """Who played, the match and the lists; what comes of it is what a new folder would have."""
    out, anew = tmp_path / "site", tmp_path / "anew"
    others = [["Eve", "Fay"], ["Gus", "Hal"]]
    add(store, 500.0, others)
    with open_archive(store) as archive:
        write_site(archive, out, None)
        (out / "own.html").write_text("mine", encoding="utf-8")
        before = {path: path.stat().st_mtime_ns for path in out.rglob("*") if path.is_file()}
        add(store, 600.0, [["Ann", "Bob"], ["Cid", "New"]], 2.0)
        done = write_site(archive, out, None)
    written = {path.relative_to(out) for path in out.rglob("*") if path.is_file()
               if before.get(path) != path.stat().st_mtime_ns}  # fmt: skip
    names = {str(path) for path in written if path.parts[0] not in ("player", "match")}
    assert names == {
        "index.html", "equipoise-pages.json", "fairness/index.html", "servers/index.html", "search/people.js",
        "leaderboard/index.html", *(f"leaderboard/{slug('general')}.{kind}" for kind in ("html", "csv")),
    }  # fmt: skip
    players = {path.stem for path in written if path.parts[0] == "player"}
    assert players == {slug(who) for who in ("Ann", "Bob", "Cid", "New")}
    assert {path.stem for path in written if path.parts[0] == "match"} == {"index", slug("g600")}
    assert done.written == len(written) - 1
    (out / "own.html").unlink()
    with open_archive(store) as archive:
        write_site(archive, anew, None)
    assert contents(out) == contents(anew)


def test_many_results_in_several_exports_make_one_site(store: str, tmp_path: Path) -> None:
    """However often it is written between results, over weeks, ranks and names: the pages are the same."""
    rng, out, anew = np.random.default_rng(3), tmp_path / "site", tmp_path / "anew"
    names = [f"p{n}" for n in range(14)]
    at = 1000.0
    for _ in range(12):
        for _ in range(int(rng.integers(1, 9))):
            at += float(rng.integers(1, 200_000))
            order = [names[n] for n in rng.permutation(14)]
            called = "{who}" if rng.integers(4) else "{who} {at:g}"
            add(store, at, [order[:3], order[3:6]], float(rng.integers(1, 3)), called)
        with open_archive(store) as archive:
            write_site(archive, out, None)
    with open_archive(store) as archive:
        write_site(archive, anew, None)
    assert contents(out) == contents(anew)


def test_pages_that_are_gone_come_back(store: str, tmp_path: Path) -> None:
    """What was removed from the folder is written again, and an interrupted export is ended."""
    out = tmp_path / "site"
    with open_archive(store) as archive:
        write_site(archive, out, None)
        whole = contents(out)
        (out / "player" / f"{slug('Ann')}.html").unlink()
        manifest = out / "equipoise-pages.json"
        plain = json.loads(manifest.read_text(encoding="utf-8"))
        plain["pages"]["index.html"] = ""
        manifest.write_text(json.dumps(plain), encoding="utf-8")
        (out / "index.html").write_text("half", encoding="utf-8")
        assert write_site(archive, out, None).written == 2
        assert contents(out) == whole
        assert write_site(archive, out, None).written == 0


def test_nothing_of_who_is_forgotten_stays_in_a_site(store: str, tmp_path: Path) -> None:
    """Neither in a page, nor in what search reads, the manifest, a name of a file, or the archive."""
    out = tmp_path / "site"
    add(store, 500.0, [["Zebulon", "Ann"], ["Bob", "Cid"]])
    with open_archive(store) as archive:
        export(archive, out, None)
    assert b"Zebulon" in (out / "search" / "people.js").read_bytes()
    assert run("forget", "Zebulon", "--store", store).returncode == 0
    for path in tmp_path.rglob("*"):
        assert "zebulon" not in path.name.lower()
        assert (
            not path.is_file() or b"zebulon" not in path.read_bytes().lower() or path.name == "results.jsonl"
        )
