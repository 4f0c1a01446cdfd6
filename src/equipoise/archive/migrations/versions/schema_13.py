"""Who is in which queue: one person in one ticket of all queues; owners fill it from their records."""

import sqlalchemy as sa
from alembic import op

revision = "13"
down_revision = "12"


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "queue_person",
        sa.Column("person", sa.LargeBinary, primary_key=True),
        sa.Column("queue", sa.Text, nullable=False),
        sa.Column("ticket", sa.LargeBinary, nullable=False),
    )
