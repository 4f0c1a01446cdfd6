"""What is to be sent to webhooks, what happened in queues, and what admins did: only ever added."""

import sqlalchemy as sa
from alembic import op

revision = "5"
down_revision = "4"


def upgrade() -> None:
    """Add their tables."""
    op.create_table(
        "outbox",
        sa.Column("hook", sa.Text, primary_key=True),
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("made", sa.Double, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("tries", sa.BigInteger, nullable=False),
        sa.Column("due", sa.Double, nullable=False),
        sa.Column("sent", sa.Double, nullable=False),
        sa.Column("trouble", sa.Text, nullable=False),
    )
    op.create_index("outbox_by_due", "outbox", ["hook", "sent", "due"])
    op.create_table(
        "queue_event",
        sa.Column("queue", sa.Text, primary_key=True),
        sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("event", sa.Text, nullable=False),
        sa.Column("replies", sa.Text, nullable=False),
    )
    op.create_table(
        "queue_member",
        sa.Column("queue", sa.Text, primary_key=True),
        sa.Column("ticket", sa.LargeBinary, primary_key=True),
        sa.Column("match", sa.Text, nullable=False),
    )
    op.create_table(
        "audit",
        sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("whose", sa.Text, nullable=False),
        sa.Column("what", sa.Text, nullable=False),
        sa.Column("asked", sa.Text, nullable=False),
        sa.Column("outcome", sa.Text, nullable=False),
    )
