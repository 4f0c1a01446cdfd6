"""Several servers on one database: who owns what, what they ask each other, and the epoch of each event."""

import sqlalchemy as sa
from alembic import op

revision = "11"
down_revision = "10"


def upgrade() -> None:
    """Add the tables, and columns with a default."""
    op.add_column("archive", sa.Column("oldest", sa.Text, nullable=False, server_default=sa.text("''")))
    epoch = sa.Column("epoch", sa.BigInteger, nullable=False, server_default=sa.text("0"))
    op.add_column("queue_event", epoch)
    op.create_table(
        "shard",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("epoch", sa.BigInteger, nullable=False),
        sa.Column("worker", sa.Text, nullable=False),
        sa.Column("backend", sa.BigInteger, nullable=False),
        sa.Column("heard", sa.Double, nullable=False),
    )
    op.create_table(
        "worker",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("heard", sa.Double, nullable=False),
    )
    op.create_table(
        "letter",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("queue", sa.Text, nullable=False),
        sa.Column("worker", sa.Text, nullable=False),
        sa.Column("sent", sa.Double, nullable=False),
        sa.Column("questions", sa.Text, nullable=False),
        sa.Column("answers", sa.Text, nullable=True),
    )
    op.create_index("letter_by_queue", "letter", ["queue", "sent"])
