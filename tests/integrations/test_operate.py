"""What operators copy: the dashboard's queries, the settings, and the steps of the Containerfile."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.service.http.asking import ask
from tests.service.process import TOKEN, Served

from equipoise.archive.archive import open_archive
from equipoise.service.settings import read_settings

pytestmark = pytest.mark.slow

FOLDER = Path(__file__).parents[2] / "integrations" / "operate"

#: The names of metrics in a query, and the labels that it asks for or groups by.
NAME = re.compile(r"equipoise_[a-z_]+")
GROUPED = re.compile(r"by \(([^)]*)\)")
SHOWN = re.compile(r"\{\{(\w+)\}\}")
ASKED = re.compile(r"\{(\w+)[!=~]")


def test_every_query_of_the_dashboard_asks_for_what_there_is(tmp_path: Path) -> None:
    """Each metric is one that the server has, with every label that the query or its legend names."""
    open_archive(f"sqlite:///{tmp_path / 'games.db'}").close()
    served = Served(tmp_path / "games.db", "--http", "127.0.0.1:0")
    served.ask("GAME ctf\nMEANBOT\nALL\n")
    ask(f"{served.http}/v1/results", {}, authorization=f"Bearer {TOKEN}")
    text = ask(f"{served.http}/metrics").body.decode()
    served.end()
    labels: dict[str, set[str]] = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            name, _, rest = line.partition("{")
            labels.setdefault(name.split(" ")[0], set()).update(re.findall(r'(\w+)="', rest))
    panels = json.loads((FOLDER / "grafana.json").read_text(encoding="utf-8"))["panels"]
    targets = [target for panel in panels for target in panel["targets"]]
    assert len(targets) > len(panels) > 5
    for target in targets:
        wanted = {each.strip() for group in GROUPED.findall(target["expr"]) for each in group.split(",")}
        wanted |= set(ASKED.findall(target["expr"])) | set(
            re.findall(r"\{\{(\w+)\}\}", target["legendFormat"])
        )
        for name in NAME.findall(target["expr"]):
            assert name in labels, target["expr"]
            assert wanted <= labels[name] | {"le"}, target["expr"]


def test_the_settings_are_right() -> None:
    """The file of settings is read as it stands."""
    settings = read_settings(str(FOLDER / "serve.toml"), {}, {})
    assert settings.http_address == ("127.0.0.1", 8080)


@pytest.mark.skipif(shutil.which("sh") is None, reason="there is no shell")
def test_the_steps_of_the_containerfile_are_those_of_the_script() -> None:
    """The script is what the image runs, its syntax is right, and every file that is copied is there."""
    subprocess.run(["sh", "-n", FOLDER / "install.sh"], check=True)
    lines = (FOLDER / "Containerfile").read_text(encoding="utf-8").splitlines()
    assert any("install.sh /tmp/equipoise" in line for line in lines)
    for line in lines:
        if line.startswith("COPY"):
            for name in line.split()[1:-1]:
                assert (FOLDER.parents[1] / name).exists(), name
