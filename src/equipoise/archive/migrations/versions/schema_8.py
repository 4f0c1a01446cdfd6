"""Matches that end at one time: numbers in their ids go by size; what came late; ratings as a table."""

import sqlalchemy as sa
from alembic import op

from equipoise.core.match import replay_key

revision = "8"
down_revision = "7"

#: Matches that are written at once.
SOME = 10_000


def upgrade() -> None:
    """Add the turn of each match among those that ended with it, and let all be learnt again."""
    op.add_column("match", sa.Column("turn", sa.LargeBinary, nullable=False, server_default=sa.text("''")))
    match = sa.table("match", sa.column("id", sa.LargeBinary), sa.column("turn", sa.LargeBinary))
    connection = op.get_bind()
    ids = [bytes(one) for one in connection.execute(sa.select(match.c.id)).scalars()]
    changed = sa.update(match).where(match.c.id == sa.bindparam("one")).values(turn=sa.bindparam("its"))
    for first in range(0, len(ids), SOME):
        rows = [{"one": one, "its": replay_key(one)} for one in ids[first : first + SOME]]
        connection.execute(changed, rows)
    op.drop_index("match_in_order", "match")
    op.create_index("match_in_order", "match", ["ended", "turn"])
    for table in ("derived", "renewal", "size", "checkpoint", "undo", "changed"):
        connection.execute(sa.text(f"DELETE FROM {table}"))  # noqa: S608  # names of the schema
    nothing = sa.text("UPDATE archive SET rated = 0, rated_by = '', last_ended = 0, last_match = :none")
    connection.execute(nothing, {"none": b""})
    op.create_table(
        "late",
        sa.Column("id", sa.LargeBinary, primary_key=True),
        sa.Column("ended", sa.Double, nullable=False),
        sa.Column("noted", sa.Double, nullable=False),
    )
    op.create_table(
        "rating",
        sa.Column("player", sa.Text, primary_key=True),
        sa.Column("ruleset", sa.Text, primary_key=True),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("name", "game", "game_type", "mutators")),
        *(sa.Column(name, sa.Double, nullable=False) for name in ("mu", "sigma", "weight")),
        sa.Column("games", sa.BigInteger, nullable=False),
    )
