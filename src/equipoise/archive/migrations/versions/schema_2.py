"""Checkpoints: ways back to earlier places of the replay, and which matches corrections have changed."""

import sqlalchemy as sa
from alembic import op

revision = "2"
down_revision = "1"


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "checkpoint",
        sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("ended", sa.Double, nullable=False),
        sa.Column("match", sa.LargeBinary, nullable=False),
        sa.Column("matches", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "undo",
        sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("part", sa.Text, primary_key=True),
        sa.Column("key", sa.LargeBinary, primary_key=True),
        sa.Column("place", sa.BigInteger, nullable=False),
        sa.Column("numbers", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "changed",
        sa.Column("id", sa.LargeBinary, primary_key=True),
        sa.Column("ended", sa.Double, nullable=False),
    )
