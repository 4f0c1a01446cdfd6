"""What a queue knew after an event, so that it need not go through all events again."""

import sqlalchemy as sa
from alembic import op

revision = "7"
down_revision = "6"


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "queue_state",
        sa.Column("queue", sa.Text, primary_key=True),
        sa.Column("number", sa.BigInteger, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
    )
