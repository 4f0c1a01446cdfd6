"""The chronicle that pages show is kept, so that a new match is shown without going through the old ones."""

import sqlalchemy as sa
from alembic import op

revision = "10"
down_revision = "9"


def upgrade() -> None:
    """Make the tables, which are filled when pages are first asked for."""
    op.create_table(
        "timeline",
        sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "timeline_state",
        sa.Column("part", sa.Text, primary_key=True),
        sa.Column("key", sa.LargeBinary, primary_key=True),
        sa.Column("place", sa.BigInteger, nullable=False),
        sa.Column("numbers", sa.LargeBinary, nullable=False),
        sqlite_with_rowid=False,
    )
