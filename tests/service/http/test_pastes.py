"""Names over HTTP are read as those of a file are: what each paste of the corpus gives or says."""

from __future__ import annotations

import json

from tests.files.test_pasted_names import CORPUS

from equipoise.service.http.stateless_questions import answered


def test_a_text_is_read_as_a_file_is() -> None:
    """What gives players is divided; what is refused or in doubt is a 422 that says so."""
    for case in CORPUS:
        body = json.dumps({"text": case["paste"], "max_difference": 9}).encode()
        status, answer = answered("balance", body, 1.0)
        plain = json.loads(answer)
        if "gives" not in case:
            assert status == 422, case["paste"]
            assert plain["detail"], case["paste"]
            continue
        assert status == 200, case["paste"]
        given = sorted(name for name, _, _ in case["gives"])
        teams = [sorted(team) for team in plain["splits"][0]["teams"]]
        assert sorted(name for team in teams for name in team) == given, case["paste"]


def test_an_answer_says_what_was_read_of_a_text() -> None:
    """Who does not come and which lines are no players are in the answer, of every question about a text."""
    text = "Friday 20 Nov\nAnn 9\nBob 7\nCid out\nDee 3"
    for kind in ("balance", "explain"):
        status, answer = answered(kind, json.dumps({"text": text}).encode(), 1.0)
        read = json.loads(answer)["read"]
        assert (status, read["players"], read["out"]) == (200, 3, ["Cid"])
        assert read["unread"] == [{"line": 1, "text": "Friday 20 Nov"}]
