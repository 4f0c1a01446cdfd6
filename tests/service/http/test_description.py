"""The description of the HTTP interface: every operation, field and limit, as clients are made from it."""

from __future__ import annotations

import pytest
from tests.generated import kept, made


@pytest.mark.slow
def test_the_service_describes_itself_as_its_document_does() -> None:
    """Whoever changes a limit or a field writes the document again, and sees what changed for clients."""
    text = made("json.dumps(reference.document(reference.OPERATIONS), indent=1, ensure_ascii=False) + '\\n'")
    assert text == kept("docs/openapi.json")
