"""Headless Chromium by chromedriver: what a test does with the mouse, a finger and the keyboard.

It speaks WebDriver, which is JSON over HTTP, so no package is needed.  Debian's ``chromium`` and
``chromium-driver`` are used where they are installed.
"""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import time
import urllib.request
from pathlib import Path
from typing import Any

from benchmarks.ports import free_port

#: How the key of an element is called (W3C WebDriver, section 12.3).
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
#: Keys that are no letters (the same, section 17.4.2).
KEYS = {"Enter": "\ue007", "Escape": "\ue00c", "ArrowLeft": "\ue012", "ArrowRight": "\ue014", "Tab": "\ue004"}


def why_no_browser() -> str:
    """Return why there is no browser to drive; nothing where there is one."""
    missing = [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]
    return f"{' and '.join(missing)} not installed; scripts/install-test-servers does" if missing else ""


class Browser:
    """A browser of its own, closed at the end of a ``with`` block.

    Parameters
    ----------
    width, height : int
        The size of the window.
    dark : bool
        Whether the user prefers dark colours.
    """

    def __init__(self, width: int = 1280, height: int = 900, *, dark: bool = False) -> None:
        port = free_port()
        self._driver = subprocess.Popen(
            ["chromedriver", f"--port={port}"],  # noqa: S607  # wherever it is
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._base = f"http://127.0.0.1:{port}"
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        capabilities = {
            "goog:chromeOptions": {"args": flags, "binary": shutil.which("chromium")},
            "goog:loggingPrefs": {"browser": "ALL"},
            "timeouts": {"script": 120_000},
        }
        self._session = ""
        for _ in range(200):
            try:
                made = self._ask("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})
                break
            except ConnectionError:
                time.sleep(0.1)
        self._session = f"/session/{made['sessionId']}"
        self.look(width, height, dark=dark)

    def look(self, width: int, height: int, *, dark: bool = False) -> None:
        """Change the size of the window and the colours that the user prefers."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.command("Emulation.setDeviceMetricsOverride", metrics)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.command("Emulation.setEmulatedMedia", {"features": [scheme]})

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        if self._session:
            self._ask("DELETE", self._session)
        self._driver.terminate()
        self._driver.wait()

    def _ask(self, method: str, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        kind = {"Content-Type": "application/json"}
        request = urllib.request.Request(self._base + path, data, kind, method=method)  # noqa: S310  # the driver on loopback
        try:
            with urllib.request.urlopen(request) as answer:  # noqa: S310  # as above
                return json.loads(answer.read())["value"]
        except urllib.error.HTTPError as error:
            said = error.read().decode()
            raise AssertionError(said[:2000]) from None
        except urllib.error.URLError as error:
            raise ConnectionError(str(error)) from None

    def command(self, name: str, parameters: dict[str, Any]) -> Any:
        """Return what a command of the DevTools protocol answers."""
        body = {"cmd": name, "params": parameters}
        return self._ask("POST", f"{self._session}/goog/cdp/execute", body)

    def open(self, address: str) -> None:
        """Load a page."""
        self._ask("POST", f"{self._session}/url", {"url": address})

    def new_window(self) -> str:
        """Open another window, and go on in it; return its name."""
        handle: str = self._ask("POST", f"{self._session}/window/new", {"type": "window"})["handle"]
        self.switch(handle)
        return handle

    def switch(self, handle: str) -> None:
        """Go on in a window."""
        self._ask("POST", f"{self._session}/window", {"handle": handle})

    def run(self, script: str, *arguments: Any) -> Any:
        """Return what a function's body returns in the page."""
        return self._ask("POST", f"{self._session}/execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, script: str, *arguments: Any, seconds: float = 10.0) -> Any:
        """Return the first answer of a function's body that is true, asked at every frame for a while."""
        body = (
            "const [done, args] = [arguments[arguments.length - 1], [...arguments].slice(0, -1)];"
            f"const test = function () {{ {script} }}; const end = Date.now() + {1000 * seconds};"
            "const look = () => { const said = test.apply(null, args);"
            "if (said || Date.now() > end) done(said); else requestAnimationFrame(look); }; look();"
        )
        asked = {"script": body, "args": list(arguments)}
        said = self._ask("POST", f"{self._session}/execute/async", asked)
        assert said, f"never true: {script}"
        return said

    def find(self, css: str) -> dict[str, str]:
        """Return the first element that a selector matches."""
        asked = {"using": "css selector", "value": css}
        found = self._ask("POST", f"{self._session}/element", asked)
        return {ELEMENT: found[ELEMENT]}

    def press(self, *keys: str) -> None:
        """Press keys one after the other, by name or letter."""
        steps = [{"type": kind, "value": KEYS.get(key, key)} for key in keys for kind in ("keyDown", "keyUp")]
        self._act({"type": "key", "id": "keys", "actions": steps})

    def drag(self, one: str, other: str, kind: str = "mouse") -> None:
        """Drag from the middle of one element to that of another, with a mouse or a finger."""
        steps = [
            self._to(one),
            {"type": "pointerDown", "button": 0},
            {"type": "pointerMove", "origin": "pointer", "x": 12, "y": 12, "duration": 30},
            {**self._to(other), "duration": 60},
            {"type": "pointerUp", "button": 0},
        ]
        self._act({"type": "pointer", "id": kind, "parameters": {"pointerType": kind}, "actions": steps})

    def tap(self, css: str, kind: str = "mouse") -> None:
        """Click on an element, or tap it with a finger."""
        self.run("arguments[0].scrollIntoView({block: 'center'})", self.find(css))
        steps = [self._to(css), {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        self._act({"type": "pointer", "id": kind, "parameters": {"pointerType": kind}, "actions": steps})

    def _to(self, css: str) -> dict[str, Any]:
        return {"type": "pointerMove", "origin": self.find(css), "x": 0, "y": 0}

    def _act(self, source: dict[str, Any]) -> None:
        self._ask("POST", f"{self._session}/actions", {"actions": [source]})

    def log(self) -> list[str]:
        """Return what the browser had to complain about since it was last asked."""
        entries = self._ask("POST", f"{self._session}/se/log", {"type": "browser"})
        return [entry["message"] for entry in entries if entry["level"] in ("SEVERE", "WARNING")]

    def picture(self, path: Path, *, whole: bool = True) -> None:
        """Write what is seen as PNG, the whole page by default."""
        taken = self.command("Page.captureScreenshot", {"captureBeyondViewport": whole})
        path.write_bytes(base64.b64decode(taken["data"]))

    def printed(self, path: Path) -> None:
        """Write the page as PDF, as it would be printed."""
        taken = self.command("Page.printToPDF", {"printBackground": False, "preferCSSPageSize": True})
        path.write_bytes(base64.b64decode(taken["data"]))
