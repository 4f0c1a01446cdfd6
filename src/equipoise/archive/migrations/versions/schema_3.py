"""Derived rows say when they were written, so that a reader takes what has changed alone."""

import sqlalchemy as sa
from alembic import op

revision = "3"
down_revision = "2"


def upgrade() -> None:
    """Add the revisions, the renewals and the sizes of the parts; keep no key twice in SQLite."""
    op.rename_table("derived", "derived_2")
    op.create_table(
        "derived",
        sa.Column("part", sa.Text, primary_key=True),
        sa.Column("key", sa.LargeBinary, primary_key=True),
        sa.Column("place", sa.BigInteger, nullable=False),
        sa.Column("numbers", sa.LargeBinary, nullable=False),
        sa.Column("revision", sa.BigInteger, nullable=False),
        sqlite_with_rowid=False,
    )
    op.execute("INSERT INTO derived SELECT part, key, place, numbers, 0 FROM derived_2")
    op.drop_table("derived_2")
    op.create_index("derived_by_revision", "derived", ["revision"])
    op.rename_table("undo", "undo_2")
    op.create_table(
        "undo",
        sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("part", sa.Text, primary_key=True),
        sa.Column("key", sa.LargeBinary, primary_key=True),
        sa.Column("place", sa.BigInteger, nullable=False),
        sa.Column("numbers", sa.LargeBinary, nullable=False),
        sqlite_with_rowid=False,
    )
    op.execute("INSERT INTO undo SELECT number, part, key, place, numbers FROM undo_2")
    op.drop_table("undo_2")
    op.create_table(
        "renewal",
        sa.Column("token", sa.LargeBinary, primary_key=True),
        sa.Column("revision", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "size",
        sa.Column("part", sa.Text, primary_key=True),
        sa.Column("rows", sa.BigInteger, nullable=False),
    )
    op.execute("INSERT INTO size SELECT part, count(*) FROM derived GROUP BY part")
