"""Who is known on a running server whose ids are not all one person's."""

from __future__ import annotations

from pathlib import Path

from equipoise.archive.archive import open_archive
from equipoise.core.match import Contest, Match, Ruleset
from equipoise.service.live_server import ArchiveRatings


def test_an_id_of_several_is_who_bears_the_name_and_that_is_said(tmp_path: Path) -> None:
    """Not a newcomer in silence; another name is somebody new, and an id of one person is not spoken of."""
    with open_archive(f"sqlite:///{tmp_path}/a.db") as archive:
        matches = []
        for n in range(2):
            contest = Contest(Ruleset("oa", "ctf"), (("0a1b",), ("0a1b#2",)), (1, 2), at=float(n))
            names = (("0a1b", "Ann"), ("0a1b#2", "Bob"))
            matches.append(Match((contest,), ended=float(n), id=f"{n:064x}", names=names, shared=("0a1b",)))
        lone = Contest(Ruleset("oa", "ctf"), (("c1",), ("d1",)), (1, 2), at=5.0)
        archive.record([*matches, Match((lone,), ended=5.0, id="l", names=(("c1", "Cid"), ("d1", "Dan")))])
        archive.update_ratings()
        known = ArchiveRatings(archive)
        said = known.meet("0a1b", "[UT] Bob")
        assert said == "0a1b is the id of several: 0a1b~ann, 0a1b~bob; [UT] Bob is 0a1b~bob"
        standing = archive.standing()
        assert known.rating("0a1b") == standing.model.rating(standing.state, "0a1b~bob", known._nearest())
        assert known.known(["0a1b"]).ranks["0a1b"] == known.known([]).ranks["0a1b~bob"]
        assert known.meet("0a1b", "Zed").endswith("Zed is somebody new")
        assert known.rating("0a1b") is None
        assert (known.meet("c1", "Cid"), known.rating("c1") is None) == ("", False)
