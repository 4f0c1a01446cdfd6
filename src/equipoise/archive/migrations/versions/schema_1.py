"""The first schema: matches, merged and forgotten players, what follows from them, places in logs."""

import sqlalchemy as sa
from alembic import op

revision = "1"
down_revision = None


def upgrade() -> None:
    """Make all tables."""
    op.create_table(
        "archive",
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
    op.create_table(
        "match",
        sa.Column("id", sa.LargeBinary, primary_key=True),
        sa.Column("ended", sa.Double, nullable=False),
        sa.Column("revision", sa.BigInteger, nullable=False),
        sa.Column("undone", sa.Boolean, nullable=False),
        sa.Column("record", sa.Text, nullable=False),
    )
    op.create_index("match_in_order", "match", ["ended", "id"])
    op.create_index("match_by_revision", "match", ["revision"])
    op.create_table(
        "merged",
        sa.Column("player", sa.LargeBinary, primary_key=True),
        sa.Column("into", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "forgotten",
        sa.Column("tombstone", sa.LargeBinary, primary_key=True),
    )
    op.create_table(
        "derived",
        sa.Column("part", sa.Text, primary_key=True),
        sa.Column("key", sa.LargeBinary, primary_key=True),
        sa.Column("place", sa.BigInteger, nullable=False),
        sa.Column("numbers", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "followed",
        sa.Column("log", sa.LargeBinary, primary_key=True),
        sa.Column("place", sa.Text, nullable=False),
    )
