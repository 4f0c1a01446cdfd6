"""Bring the schema of a database up to date, as a whole or not at all."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from equipoise.archive.database import Database
from equipoise.archive.tables import ARCHIVE, HEAD, METADATA, OLDEST
from equipoise.errors import InputError

#: Where alembic keeps which schema a database has.
VERSION_TABLE = "alembic_version"


def prepare(database: Database, *, create: bool) -> None:
    """Bring the schema up to date and write the one row of the archive, where needed.

    Raises
    ------
    InputError
        If there is no archive and none is to be made, or the database is not one of this version.
    """
    with database.reading() as connection:
        version = version_of(connection, database.where)
    if version and int(version) >= int(HEAD):
        return
    if not version and not create:
        msg = f": {database.where} holds no archive; 'equipoise ingest' makes one"
        raise InputError(msg, "store")
    with database.writing() as connection:
        if int(version_of(connection, database.where) or 0) >= int(HEAD):
            return  # another process was faster
        database.alone(connection)
        upgrade(connection)
        if not connection.execute(sa.select(ARCHIVE.c.one)).first():
            fresh = (1, 0, secrets.token_bytes(32), "default", "{}", 0, "", 0.0, b"", "", OLDEST)
            database.insert(connection, ARCHIVE, [fresh])
        connection.execute(sa.update(ARCHIVE).values(oldest=OLDEST))


def version_of(connection: sa.Connection, where: str) -> str:
    """Return the schema a database has, empty where it is new.

    Raises
    ------
    InputError
        If it is that of a later equipoise, or of another program.
    """
    tables = set(sa.inspect(connection).get_table_names())
    if VERSION_TABLE not in tables:
        if tables and (connection.dialect.name == "sqlite" or tables & set(METADATA.tables)):
            msg = (
                f": {where} is the database of something else (it has the table {min(tables)!r}); "
                "name a new one, or that of an archive"
            )
            raise InputError(msg, "store")
        return ""
    version = connection.execute(sa.text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar()  # noqa: S608  # a constant
    known = str(version or "")
    if known and not (known.isdigit() and int(known) <= int(HEAD)) and not _is_usable(connection):
        msg = (
            f": {where} has the schema {known}, made by a newer equipoise; this one knows those up to {HEAD}"
        )
        raise InputError(msg, "store")
    return known


def _is_usable(connection: sa.Connection) -> bool:
    """Tell whether the schema of a later equipoise is one that this one may go on with."""
    columns = {each["name"] for each in sa.inspect(connection).get_columns(ARCHIVE.name)}
    oldest = str(connection.execute(sa.select(ARCHIVE.c.oldest)).scalar()) if "oldest" in columns else ""
    return oldest.isdigit() and int(oldest) <= int(HEAD)


def upgrade(connection: sa.Connection, to: str = "head") -> None:
    """Carry out the steps that are missing, up to a schema, within the transaction that is open.

    A process that is killed on the way leaves the schema as it was.
    """
    from alembic.config import Config
    from alembic.runtime.environment import EnvironmentContext
    from alembic.script import ScriptDirectory

    script = ScriptDirectory(str(Path(__file__).parent))

    def steps(revision: Any, context: Any) -> Any:
        del context
        return script._upgrade_revs(to, revision)  # noqa: SLF001  # as alembic documents it

    with EnvironmentContext(Config(), script, fn=steps) as environment:
        environment.configure(connection=connection, target_metadata=METADATA)
        environment.run_migrations()
