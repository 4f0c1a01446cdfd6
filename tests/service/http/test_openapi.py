"""The OpenAPI document: valid, complete, and true of the server."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests.service.process import TOKEN, Served

from equipoise.archive.archive import open_archive
from equipoise.service.http.openapi import document
from equipoise.service.http.routes import OPERATIONS
from equipoise.service.http.stateless_questions import answered

#: What is checked of every answer: no 5xx, nothing undocumented, no violation accepted.
CHECKS = (
    "not_a_server_error", "status_code_conformance", "content_type_conformance",
    "response_headers_conformance", "response_schema_conformance", "negative_data_rejection",
    "unsupported_method",
)  # fmt: skip


def test_every_schema_is_one_and_every_reference_leads_somewhere() -> None:
    """Schemas are JSON Schema of 2020-12, as OpenAPI 3.1 has them, and each operation has its name once."""
    plain = document(OPERATIONS)
    schemas = plain["components"]["schemas"]
    for schema in schemas.values():
        Draft202012Validator.check_schema(schema)

    def references(part: object) -> list[str]:
        if isinstance(part, dict):
            here = [part["$ref"]] if isinstance(part.get("$ref"), str) else []
            return here + [each for value in part.values() for each in references(value)]
        return [each for value in part for each in references(value)] if isinstance(part, list) else []

    assert {each.rpartition("/")[2] for each in references(plain)} <= set(schemas)
    names = [each.name for each in OPERATIONS]
    assert len(set(names)) == len(names)


MATCH = {"ended": 0, "game": "oa", "teams": [["a"], ["b"]], "scores": [1, 0]}

#: A body of each question that is right, and the lists in it whose entries are changed too.
RIGHT: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "balance": ({"players": [{"name": "a", "weight": 1}, {"name": "b", "weight": 2}]}, ("players",)),
    "late": ({"players": [{"name": "a", "weight": 1, "team": 1}, {"name": "b", "weight": 2}]}, ()),
    "lobbies": (
        {"players": [{"id": "a"}, {"id": "b"}], "lobbies": [{"name": "one", "target": 1}]},
        ("players", "lobbies"),
    ),
    "rate": ({"matches": [MATCH]}, ("matches",)),
    "predict": ({"matches": [MATCH], "teams": [["a"], ["b"]]}, ("teams",)),
}

#: What hardly any field can hold.
ODD: tuple[Any, ...] = (
    None, True, False, -1, 1.5, 1e20, "", "x", "3", [], [1], ["a"], [["a", 1]], [[]], [None], {}, {"a": 1},
    {"a": None}, {"x": "1"}, [{}], [{"name": "a"}], [["a", "b"]], [True],
)  # fmt: skip


def _changed(
    body: Any, schema: dict[str, Any], schemas: dict[str, Any], lists: tuple[str, ...]
) -> Iterator[Any]:
    """Give a body with each field, and each entry of some lists, replaced by what it can hardly hold."""
    for odd in ODD:
        yield from ({**body, field: odd} for field in schema["properties"])
    for listed in lists:
        first, *others = body[listed]
        found = json.dumps(schema["properties"][listed]).partition("#/components/schemas/")[2]
        fields = schemas.get(found.partition('"')[0], {}).get("properties", {}) if found else {}
        for odd in ODD:
            yield {**body, listed: [odd, *others]}
            yield {**body, listed: [["a", odd], *others]}
            if isinstance(first, dict):
                yield from ({**body, listed: [{**first, field: odd}, *others]} for field in fields)


@pytest.mark.slow
@pytest.mark.parametrize("kind", RIGHT)
def test_what_the_document_does_not_allow_is_refused(kind: str) -> None:
    """A body whose schema says that it is wrong has no answer."""
    schemas = document(OPERATIONS)["components"]["schemas"]
    here = json.loads(json.dumps(schemas).replace("#/components/schemas/", "#/$defs/"))
    body, lists = RIGHT[kind]
    schema = schemas[f"{kind.title()}Body"]
    allows = Draft202012Validator({**here[f"{kind.title()}Body"], "$defs": here}).is_valid
    assert allows(body)
    assert answered(kind, json.dumps(body).encode(), 1.0)[0] == 200
    for changed in _changed(body, schema, schemas, lists):
        status, _ = answered(kind, json.dumps(changed).encode(), 0.3)
        assert status in (200, 400, 422), changed
        assert allows(changed) or status != 200, changed


@pytest.mark.slow
def test_the_server_is_as_the_document_says(tmp_path: Path) -> None:
    """Schemathesis finds no 5xx, no undocumented answer and no accepted violation.

    These are a few cases; ``st run`` with the phase ``coverage`` besides makes some three thousand.
    """
    open_archive(f"sqlite:///{tmp_path / 'games.db'}").close()
    served = Served(tmp_path / "games.db", "--http", "127.0.0.1:0", "--http-rate", "1e6")
    done = checked(
        served, tmp_path, "--exclude-path", "/v1/events", "--phases", "fuzzing", "--max-examples", "2"
    )
    served.end()
    assert done.returncode == 0, done.stdout[-8000:]


@pytest.mark.slow
def test_a_queue_is_as_the_document_says_step_after_step(tmp_path: Path) -> None:
    """What one answer holds goes into the next question: tickets, matches, free seats."""
    policy = "team_size = 1\ntick = 0.05\ntolerance = 1e6\nimbalance = 0.49\nmost_imbalance = 0.49\n"
    (tmp_path / "serve.toml").write_text(f"[queue.duel]\n{policy}")
    (tmp_path / "schemathesis.toml").write_text('[parameters]\nqueue = "duel"\n')
    flags = ("--create", "--http", "127.0.0.1:0", "--http-rate", "1e6", "--config")
    served = Served(tmp_path / "games.db", *flags, str(tmp_path / "serve.toml"))
    paths = ("--include-path-regex", "/v1/queues", "--exclude-path-regex", "events")
    done = checked(served, tmp_path, *paths, "--phases", "fuzzing,stateful", "--max-examples", "3")
    served.end()
    assert done.returncode == 0, done.stdout[-8000:]


def checked(served: Served, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Let Schemathesis check a server."""
    program = Path(sys.executable).with_name("st")
    return subprocess.run(
        [program, "run", f"{served.http}/openapi.json", *options, "--checks", ",".join(CHECKS),
         "--seed", "18", "--request-timeout", "60", "--suppress-health-check", "too_slow",
         "--header", f"Authorization: Bearer {TOKEN}", "--no-color", "--continue-on-failure"],
        capture_output=True, text=True, check=False, timeout=1200, cwd=folder,
    )  # fmt: skip
