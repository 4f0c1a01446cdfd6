"""What sides are worth is learnt with the ratings: all is learnt again, once."""

import sqlalchemy as sa
from alembic import op

revision = "12"
down_revision = "11"


def upgrade() -> None:
    """Let all be learnt again; until then the ratings are those of nobody having played."""
    connection = op.get_bind()
    for table in ("derived", "renewal", "size", "checkpoint", "undo", "changed", "late", "rating"):
        connection.execute(sa.text(f"DELETE FROM {table}"))  # noqa: S608  # names of the schema
    nothing = sa.text("UPDATE archive SET rated = 0, rated_by = '', last_ended = 0, last_match = :none")
    connection.execute(nothing, {"none": b""})
