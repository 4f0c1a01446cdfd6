#!/bin/sh
# The steps of the Containerfile: install equipoise from a folder with its source into /opt/equipoise of a
# Debian that has python3, python3-venv and ca-certificates, with a user of its own.
# Usage, as root: sh install.sh FOLDER
set -eu
source=$1
home=/var/lib/equipoise
id equipoise >/dev/null 2>&1 || useradd --system --home-dir "$home" --shell /usr/sbin/nologin equipoise
install -d -o equipoise -g equipoise -m 750 "$home"
python3 -m venv /opt/equipoise
# Pinned versions with hashes, from wheels alone: no compiler is needed.
/opt/equipoise/bin/pip install --quiet --disable-pip-version-check --no-cache-dir --require-hashes \
    --only-binary :all: --requirement "$source/requirements-server.lock"
/opt/equipoise/bin/pip install --quiet --disable-pip-version-check --no-cache-dir --no-deps "$source"
# Bytecode now, since the user of the server may not write it later.
/opt/equipoise/bin/python -m compileall -q /opt/equipoise/lib || true
/opt/equipoise/bin/equipoise --version
