"""Settings of HTTP that are read again while the server runs."""

from __future__ import annotations

import signal
from pathlib import Path

from tests.service.http.asking import ask
from tests.service.process import Served

from equipoise.archive.archive import open_archive


def test_limits_of_http_are_read_anew(tmp_path: Path) -> None:
    """After SIGHUP a body may be as large as the file says by then, at the same address."""
    open_archive(f"sqlite:///{tmp_path / 'games.db'}").close()
    file = tmp_path / "serve.toml"
    file.write_text("[serve]\nmax_body = 10\n", encoding="utf-8")
    served = Served(tmp_path / "games.db", "--http", "127.0.0.1:0", "--config", str(file))
    url = f"{served.http}/v1/balance"
    assert ask(url, {"text": "Ann 1\nBob 2"}).status == 413
    file.write_text("[serve]\nmax_body = 1000\n", encoding="utf-8")
    served.process.send_signal(signal.SIGHUP)
    served.logged("settings reloaded")
    assert ask(url, {"text": "Ann 1\nBob 2"}).status == 200
    assert served.end()[0] == 0
