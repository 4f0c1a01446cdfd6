"""The tables of an archive, the same for every database.

Texts from outside (ids, names) are kept as bytes of UTF-8: their order is then that of the code points in
every database, and nothing in them is refused.
``migrations/`` has the way from any earlier schema to this one.
"""

from __future__ import annotations

import sqlalchemy as sa

#: The newest schema: the name of the last step in ``migrations/versions``.
HEAD = "1"

METADATA = sa.MetaData()

#: One row: what holds for the archive as a whole.
#: ``revision`` grows with each change; ``rated`` is the revision that the derived rows are of, ``rated_by``
#: the model and all its parameters that made them, ``last_*`` the last match in them, and ``stale`` why they
#: must be made anew (empty where they need not).
ARCHIVE = sa.Table(
    "archive",
    METADATA,
    sa.Column("one", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("revision", sa.BigInteger, nullable=False),
    sa.Column("salt", sa.LargeBinary, nullable=False),
    sa.Column("model", sa.Text, nullable=False),
    sa.Column("settings", sa.Text, nullable=False),
    sa.Column("rated", sa.BigInteger, nullable=False),
    sa.Column("rated_by", sa.Text, nullable=False),
    sa.Column("last_ended", sa.Double, nullable=False),
    sa.Column("last_match", sa.LargeBinary, nullable=False),
    sa.Column("stale", sa.Text, nullable=False),
)

#: What happened: a row a match, with its record as JSON and the revision it came with.
MATCH = sa.Table(
    "match",
    METADATA,
    sa.Column("id", sa.LargeBinary, primary_key=True),
    sa.Column("ended", sa.Double, nullable=False),
    sa.Column("revision", sa.BigInteger, nullable=False),
    sa.Column("undone", sa.Boolean, nullable=False),
    sa.Column("record", sa.Text, nullable=False),
    sa.Index("match_in_order", "ended", "id"),
    sa.Index("match_by_revision", "revision"),
)

#: Who is the same person as whom.
MERGED = sa.Table(
    "merged",
    METADATA,
    sa.Column("player", sa.LargeBinary, primary_key=True),
    sa.Column("into", sa.LargeBinary, nullable=False),
)

#: Who must not come back: a salted hash of the id, from which the id follows that stands in its place.
FORGOTTEN = sa.Table(
    "forgotten",
    METADATA,
    sa.Column("tombstone", sa.LargeBinary, primary_key=True),
)

#: What follows from the matches: the model's state and what else is known, as rows of numbers.
DERIVED = sa.Table(
    "derived",
    METADATA,
    sa.Column("part", sa.Text, primary_key=True),
    sa.Column("key", sa.LargeBinary, primary_key=True),
    sa.Column("place", sa.BigInteger, nullable=False),
    sa.Column("numbers", sa.LargeBinary, nullable=False),
)

#: How far followed logs were read.
FOLLOWED = sa.Table(
    "followed",
    METADATA,
    sa.Column("log", sa.LargeBinary, primary_key=True),
    sa.Column("place", sa.Text, nullable=False),
)
