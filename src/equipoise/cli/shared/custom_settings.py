"""The file of ``--settings``: constants of one model, or of several by name."""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property
from typing import Any

from equipoise.errors import InputError
from equipoise.registry import MODELS


class CustomSettings:
    """What a file of settings holds: read once, when somebody asks, as it may be a pipe.

    Parameters
    ----------
    path : str
        The file.
    """

    def __init__(self, path: str) -> None:
        self.path = path

    @cached_property
    def content(self) -> Any:
        """What the file holds, not looked at yet."""
        import json
        from pathlib import Path

        try:
            return json.loads(Path(self.path).read_text(encoding="utf-8-sig"))
        except OSError as error:
            msg = f"--settings: {self.path} cannot be read: {error.strerror or error}"
            raise InputError(msg) from error
        except (ValueError, RecursionError) as error:
            msg = f"--settings: {self.path} is not JSON in UTF-8; give what 'equipoise tune --json' prints"
            raise InputError(msg) from error

    @property
    def models(self) -> Collection[str]:
        """The models it is for: by name, as ``{"elo": {"k": 32}}``, or else all of it for the default one."""
        return self.content.keys() if self._has_models() else {"default"}

    def of(self, name: str) -> Any:
        """Return what it has for a model."""
        if not self._has_models():
            return self.content
        if name not in self.content:
            msg = f"--settings: {self.path} has nothing for {name}, only for {', '.join(self.content)}"
            raise InputError(msg)
        return self.content[name]

    def _has_models(self) -> bool:
        content = self.content
        return isinstance(content, dict) and bool(content) and content.keys() <= MODELS.keys()
