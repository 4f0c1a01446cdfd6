"""Ids that are not one person's: where they were seen, and who bears which name."""

import sqlalchemy as sa
from alembic import op

revision = "6"
down_revision = "5"


def upgrade() -> None:
    """Add the tables of shared ids."""
    op.create_table(
        "client",
        sa.Column("player", sa.LargeBinary, primary_key=True),
        sa.Column("match", sa.LargeBinary, primary_key=True),
        sa.Column("names", sa.Text, nullable=False),
        sa.Column("proven", sa.Boolean, nullable=False),
        sa.Column("server", sa.Text, nullable=False),
    )
    op.create_table(
        "shared",
        sa.Column("player", sa.LargeBinary, primary_key=True),
        sa.Column("people", sa.Text, nullable=False),
    )
