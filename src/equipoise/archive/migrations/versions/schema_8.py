"""Matches that end at one time: numbers in their ids go by size; what came late, which waits; SQL views."""

# ruff: noqa: S608  # the parts of views are of this file

import sqlalchemy as sa
from alembic import op

from equipoise.core.match import replay_key

revision = "8"
down_revision = "7"

#: Matches that are written at once.
SOME = 10_000


#: Who counts as whom: from each merged id the one that none is merged into.
_SQLITE_PEOPLE = """WITH RECURSIVE chain (player, into_id) AS (
  SELECT player, "into" FROM merged
  UNION SELECT chain.player, merged."into" FROM chain JOIN merged ON merged.player = chain.into_id
), person AS (
  SELECT {player} AS player, {into} AS root FROM chain
  WHERE into_id NOT IN (SELECT player FROM merged)
)"""
_PEOPLE = {
    "sqlite": _SQLITE_PEOPLE.format(player="CAST(player AS TEXT)", into="CAST(into_id AS TEXT)"),
    "postgresql": _SQLITE_PEOPLE.format(
        player="convert_from(player, 'UTF8')", into="convert_from(into_id, 'UTF8')"
    ),
}

#: A record as JSON that PostgreSQL takes: without NUL and halves of characters.
_HIGH, _LOW = r"\\ud[89ab][0-9a-f]{2}", r"\\ud[c-f][0-9a-f]{2}"
_JSON = (
    r"regexp_replace(regexp_replace(regexp_replace(match.record, '\\u0000', '\\ufffd', 'g'), "
    rf"'{_HIGH}(?!{_LOW})', '\\ufffd', 'g'), '(?<!{_HIGH}){_LOW}', '\\ufffd', 'g')::jsonb"
)

#: The text of each view in each database.
VIEWS = {
    "games": {
        "sqlite": """SELECT CAST(id AS TEXT) AS game_id,
  datetime(ended, 'unixepoch') AS ended,
  datetime(json_extract(record, '$.began')
    + CASE WHEN json_extract(record, '$.dated') = 0 THEN ended ELSE 0 END, 'unixepoch') AS began,
  json_extract(record, '$.contests[0].ruleset[0]') AS game,
  json_extract(record, '$.contests[0].ruleset[1]') AS game_type,
  (SELECT group_concat(value, ',') FROM json_each(record, '$.contests[0].ruleset[2]')) AS mutators,
  json_extract(record, '$.map') AS map,
  COALESCE(json_extract(record, '$.server'), '') AS server,
  json_array_length(record, '$.contests') AS contests,
  json_array_length(record, '$.roster') AS players,
  COALESCE(json_extract(record, '$.dated'), 1) AS dated,
  NOT undone AS counts
FROM "match" """,
        "postgresql": f"""SELECT convert_from(id, 'UTF8') AS game_id,
  to_timestamp(ended) AT TIME ZONE 'UTC' AS ended,
  to_timestamp((kept.record->>'began')::float8
    + CASE WHEN kept.record->>'dated' = 'false' THEN ended ELSE 0 END) AT TIME ZONE 'UTC' AS began,
  kept.record#>>'{{contests,0,ruleset,0}}' AS game,
  kept.record#>>'{{contests,0,ruleset,1}}' AS game_type,
  (SELECT string_agg(one, ',') FROM jsonb_array_elements_text(kept.record#>'{{contests,0,ruleset,2}}') one)
    AS mutators,
  kept.record->>'map' AS map,
  COALESCE(kept.record->>'server', '') AS server,
  jsonb_array_length(kept.record->'contests') AS contests,
  jsonb_array_length(kept.record->'roster') AS players,
  COALESCE((kept.record->>'dated')::boolean, true) AS dated,
  NOT undone AS counts
FROM match CROSS JOIN LATERAL (SELECT {_JSON} AS record) kept""",
    },
    "appearances": {
        "sqlite": _PEOPLE["sqlite"]
        + """ SELECT CAST("match".id AS TEXT) AS game_id,
  datetime("match".ended, 'unixepoch') AS ended,
  contest.key + 1 AS contest,
  json_extract(contest.value, '$.ruleset[0]') AS game,
  json_extract(contest.value, '$.ruleset[1]') AS game_type,
  team.key + 1 AS team,
  COALESCE(person.root, json_extract(member.value, '$[0]')) AS player,
  COALESCE((SELECT json_extract(one.value, '$[1]') FROM json_each("match".record, '$.names') one
    WHERE json_extract(one.value, '$[0]') = json_extract(member.value, '$[0]')), '') AS name,
  json_extract(member.value, '$[1]') AS share,
  json_extract(contest.value, '$.ranks[' || team.key || ']') AS rank,
  json_extract(contest.value, '$.scores[' || team.key || ']') AS score
FROM "match", json_each("match".record, '$.contests') contest,
  json_each(contest.value, '$.teams') team, json_each(team.value) member
  LEFT JOIN person ON person.player = json_extract(member.value, '$[0]')
WHERE NOT "match".undone""",
        "postgresql": _PEOPLE["postgresql"]
        + f""" SELECT convert_from(match.id, 'UTF8') AS game_id,
  to_timestamp(match.ended) AT TIME ZONE 'UTC' AS ended,
  contest.place AS contest,
  contest.value#>>'{{ruleset,0}}' AS game,
  contest.value#>>'{{ruleset,1}}' AS game_type,
  team.place AS team,
  COALESCE(person.root, member.value->>0) AS player,
  COALESCE((SELECT one->>1 FROM jsonb_array_elements(kept.record->'names') one
    WHERE one->>0 = member.value->>0 LIMIT 1), '') AS name,
  (member.value->>1)::float8 AS share,
  (contest.value->'ranks'->>(team.place - 1)::int)::float8 AS rank,
  (contest.value->'scores'->>(team.place - 1)::int)::float8 AS score
FROM match CROSS JOIN LATERAL (SELECT {_JSON} AS record) kept
  CROSS JOIN LATERAL jsonb_array_elements(kept.record->'contests') WITH ORDINALITY contest (value, place)
  CROSS JOIN LATERAL jsonb_array_elements(contest.value->'teams') WITH ORDINALITY team (value, place)
  CROSS JOIN LATERAL jsonb_array_elements(team.value) member (value)
  LEFT JOIN person ON person.player = member.value->>0
WHERE NOT match.undone""",
    },
    "ratings": dict.fromkeys(
        ("sqlite", "postgresql"),
        "SELECT player, name, ruleset, game, game_type, mutators, mu, sigma, weight, games FROM rating",
    ),
}


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
        connection.execute(sa.text(f"DELETE FROM {table}"))  # names of the schema
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
    dialect = connection.dialect.name
    there = {*sa.inspect(connection).get_table_names(), *sa.inspect(connection).get_view_names()}
    for name, text in VIEWS.items():
        if name not in there:  # in a database that others use too
            connection.exec_driver_sql(f"CREATE VIEW {name} AS {text[dialect]}")
