"""The OpenAPI document: valid, complete, and true of the server."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from tests.server.process import TOKEN, Served

from equipoise.archive.archive import open_archive
from equipoise.server.http.document import document
from equipoise.server.http.operations import OPERATIONS

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


@pytest.mark.slow
def test_the_server_is_as_the_document_says(tmp_path: Path) -> None:
    """Schemathesis finds no 5xx, no undocumented answer and no accepted violation.

    These are a few cases; ``st run`` with the phase ``coverage`` besides makes some three thousand.
    """
    open_archive(f"sqlite:///{tmp_path / 'games.db'}").close()
    served = Served(tmp_path / "games.db", "--http", "127.0.0.1:0", "--http-rate", "1e6")
    program = Path(sys.executable).with_name("st")
    done = subprocess.run(
        [program, "run", f"{served.http}/openapi.json", "--exclude-path", "/v1/events",
         "--checks", ",".join(CHECKS), "--phases", "fuzzing", "--max-examples", "2", "--seed", "18",
         "--request-timeout", "60",
         "--header", f"Authorization: Bearer {TOKEN}", "--no-color", "--continue-on-failure"],
        capture_output=True, text=True, check=False, timeout=1200, cwd=tmp_path,
    )  # fmt: skip
    served.end()
    assert done.returncode == 0, done.stdout[-8000:]
