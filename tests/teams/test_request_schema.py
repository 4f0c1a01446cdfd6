"""The schema of requests, and the typed keywords: what editors and other programs know of every field."""

from __future__ import annotations

import pytest
from tests.generated import kept, made


@pytest.mark.slow
def test_the_fields_are_those_of_the_schema_and_of_the_keywords() -> None:
    """Whoever changes a range, a default or a type writes both again, and sees what changed."""
    assert made("schema_text(reference.schema_of('request'))") == kept("docs/request.schema.json")
    assert made("keywords()") == kept("src/equipoise/teams/request_keywords.py")
