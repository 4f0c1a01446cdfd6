"""What operators copy: the dashboard's queries, the settings, and the steps of the Containerfile."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml
from tests.servers import postgresql
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
    queue = tmp_path / "serve.toml"
    queue.write_text("[queue.duel]\nteam_size = 1\n")
    served = Served(tmp_path / "games.db", "--http", "127.0.0.1:0", "--config", str(queue))
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
        if line.startswith("COPY") and "--from" not in line:
            for name in line.split()[1:-1]:
                assert (FOLDER.parents[1] / name).exists(), name


def instructions() -> dict[str, str]:
    """Return the last of each instruction of the Containerfile."""
    lines = (FOLDER / "Containerfile").read_text(encoding="utf-8").replace("\\\n", "").splitlines()
    return {head: rest for head, _, rest in (line.partition(" ") for line in lines) if head.isupper()}


def here(argument: str, folder: Path) -> str:
    """Return an argument of the container as it is on this machine."""
    for there, ours in (
        ("/opt/equipoise/bin", str(Path(sys.executable).parent)),
        ("/var/lib/equipoise", str(folder)),
        ("0.0.0.0:7790", "127.0.0.1:0"), ("0.0.0.0:8080", "127.0.0.1:0"),
    ):  # fmt: skip
        argument = argument.replace(there, ours)
    return argument


@contextmanager
def contained(command: list[str], environment: dict[str, str], folder: Path) -> Iterator[str]:
    """Run what a container runs; give where it answers, and let it end as a container is stopped."""
    with subprocess.Popen(
        command, env={**os.environ, **environment}, stdout=subprocess.PIPE, text=True, cwd=folder
    ) as process:
        assert process.stdout is not None
        said = process.stdout.readline().strip()
        assert ", http: listening on " in said
        try:
            yield f"http://{said.rpartition(' ')[2]}"
        finally:
            process.send_signal(getattr(signal, instructions()["STOPSIGNAL"]))
            process.wait(30)
    assert process.returncode == 0


def test_what_the_container_runs_answers_is_healthy_and_writes_its_volume_alone(tmp_path: Path) -> None:
    """Entry point, arguments, variables, health check and stop signal, as they stand in the file."""
    file = instructions()
    assert file["USER"] == "10001"
    assert file["VOLUME"] == "/var/lib/equipoise"
    volume, home = tmp_path / "volume", tmp_path / "home"
    volume.mkdir()
    home.mkdir(mode=0o500)
    command = [here(each, volume) for each in (*json.loads(file["ENTRYPOINT"]), *json.loads(file["CMD"]))]
    variables = {name: here(value, volume) for name, value in (x.split("=", 1) for x in file["ENV"].split())}
    token = subprocess.run(
        [command[0], "tokens", "make", "--file", volume / "tokens.json", "--name", "x", "--scope", "report"],
        check=True, capture_output=True, text=True,
    ).stdout.strip()  # fmt: skip
    check = [here(each, volume) for each in json.loads(file["HEALTHCHECK"].removeprefix("CMD "))]
    with contained(command, {**variables, "HOME": str(home)}, home) as url:
        subprocess.run([each.replace("http://127.0.0.1:8080", url) for each in check], check=True)
        record = {"id": "one", "game": "x", "teams": [["a"], ["b"]], "scores": [1, 0]}
        assert ask(f"{url}/v1/results", record, authorization=f"Bearer {token}").status == 201
    assert not list(home.iterdir())
    assert {"games.db", "tokens.json"} <= {each.name for each in volume.iterdir()}


@pytest.mark.parametrize(
    ("file", "service"), [("compose.yaml", "equipoise"), ("compose-workers.yaml", "worker-2")]
)
def test_what_compose_runs_answers_from_postgresql(tmp_path: Path, file: str, service: str) -> None:
    """The command of the file, with the server of this machine in the place of its database."""
    ours = yaml.safe_load((FOLDER / file).read_text(encoding="utf-8"))["services"][service]
    assert ours["read_only"] is True
    assert ours["cap_drop"] == ["ALL"]
    assert (
        FOLDER / ours["build"]["context"] / ours["build"]["dockerfile"]
    ).resolve() == FOLDER / "Containerfile"
    (text,) = ours["command"]
    (tmp_path / "password").write_text("a password")
    with postgresql() as server:
        text = here(text, tmp_path).replace("$$", "$")
        text = text.replace("/etc/equipoise", str(FOLDER))
        text = text.replace("/run/secrets", str(tmp_path)).replace("/tmp/pgpass", str(tmp_path / "pgpass"))  # noqa: S108
        text = re.sub(r"'postgresql://equipoise@database/equipoise\?", f"'{server}?", text)
        with contained([*ours["entrypoint"], text], {}, tmp_path) as url:
            assert ask(f"{url}/readyz").status == 200
    assert (tmp_path / "pgpass").read_text() == "database:5432:equipoise:equipoise:a password"


@pytest.mark.skipif(
    not shutil.which("docker") or subprocess.run(["docker", "info"], capture_output=True).returncode != 0,  # noqa: PLW1510
    reason="no container daemon runs",
)
def test_the_image_is_built_and_answers() -> None:
    """Where a daemon runs: the image is built, and its server runs on a file system that is read-only."""
    root = FOLDER.parents[1]
    subprocess.run(
        ["docker", "build", "-q", "-f", FOLDER / "Containerfile", "-t", "equipoise", root], check=True
    )
    command = ["docker", "run", "--rm", "--read-only", "--tmpfs", "/tmp", "equipoise", "--help"]  # noqa: S108
    assert b"Answer what game servers ask" in subprocess.run(command, check=True, capture_output=True).stdout
