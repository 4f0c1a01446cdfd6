"""SQL views, in which NUL and halves of characters are U+FFFD."""

# ruff: noqa: S608  # the parts of views are of this file

import sqlalchemy as sa
from alembic import op

revision = "9"
down_revision = "8"

#: An id as text in SQLite: a byte at a time where there may be NUL or halves of characters.
_SQLITE_ID = """CASE WHEN instr({id}, x'ED') = 0 AND instr({id}, x'00') = 0 THEN CAST({id} AS TEXT) ELSE (
  WITH RECURSIVE walk (done, rest) AS (SELECT '', CAST({id} AS BLOB) UNION ALL
    SELECT done || CASE WHEN hex(substr(rest, 1, 2)) GLOB 'ED[AB]?' OR hex(substr(rest, 1, 1)) = '00'
      THEN char(65533) ELSE CAST(substr(rest, 1, 1) AS TEXT) END,
      substr(rest, CASE WHEN hex(substr(rest, 1, 2)) GLOB 'ED[AB]?' THEN 4 ELSE 2 END)
    FROM walk WHERE length(rest) > 0)
  SELECT done FROM walk WHERE length(rest) = 0) END"""

#: The same in PostgreSQL, from the bytes as hexadecimal digits.
_POSTGRESQL_ID = (
    r"convert_from(decode(regexp_replace(regexp_replace(encode({id}, 'hex'), '(..)', '\1 ', 'g'), "
    r"'ed [ab]. .. |00 ', 'efbfbd', 'g'), 'hex'), 'UTF8')"
)

#: Who counts as whom: from each merged id the one that none is merged into.
_CHAIN = """WITH RECURSIVE chain (player, into_id) AS (
  SELECT player, "into" FROM merged
  UNION SELECT chain.player, merged."into" FROM chain JOIN merged ON merged.player = chain.into_id
), person AS (
  SELECT {player} AS player, {into} AS root FROM chain
  WHERE into_id NOT IN (SELECT player FROM merged)
)"""
_PEOPLE = {
    name: _CHAIN.format(player=each.format(id="player"), into=each.format(id="into_id"))
    for name, each in (("sqlite", _SQLITE_ID), ("postgresql", _POSTGRESQL_ID))
}

#: A record in which each backslash of a text is an escape of its own, and NUL the mark of what is unreadable.
_PLAIN = r"replace(replace(match.record, '\\', '\u005c'), '\u0000', '\ufffd')"

#: A record as JSON that PostgreSQL takes: without halves of characters.
_HIGH, _LOW = r"\\ud[89ab][0-9a-f]{2}", r"\\ud[c-f][0-9a-f]{2}"
_POSTGRESQL_RECORD = (
    rf"regexp_replace(regexp_replace({_PLAIN}, "
    rf"'{_HIGH}(?!{_LOW})', '\ufffd', 'g'), '(?<!{_HIGH}){_LOW}', '\ufffd', 'g')::jsonb"
)

#: The same in SQLite, from one escape of a half to the next: with its other half it is a character.
_AT = r"instr(rest, '\ud')"
_BOTH = rf"substr(rest, {_AT}, 12) GLOB '\ud[89ab][0-9a-f][0-9a-f]\ud[c-f][0-9a-f][0-9a-f]'"
_HALF = rf"substr(rest, {_AT}, 6) GLOB '\ud[89a-f]*'"
_SQLITE_RECORD = rf"""CASE WHEN instr(record, '\ud') = 0 AND instr(record, '\u0000') = 0 THEN record ELSE (
  WITH RECURSIVE cut (done, rest) AS (SELECT '', {_PLAIN.replace("match.", "")} UNION ALL
    SELECT done || CASE WHEN {_AT} = 0 THEN rest ELSE substr(rest, 1, {_AT} - 1)
      || CASE WHEN {_BOTH} THEN substr(rest, {_AT}, 12) WHEN {_HALF} THEN '\ufffd'
        ELSE substr(rest, {_AT}, 6) END END,
      CASE WHEN {_AT} = 0 THEN '' ELSE substr(rest, {_AT} + CASE WHEN {_BOTH} THEN 12 ELSE 6 END) END
    FROM cut WHERE rest <> '')
  SELECT done FROM cut WHERE rest = '') END"""
_SQLITE_KEPT = f'(SELECT id, ended, undone, {_SQLITE_RECORD} AS record FROM "match") kept'
_POSTGRESQL_KEPT = f"match CROSS JOIN LATERAL (SELECT {_POSTGRESQL_RECORD} AS record) kept"

#: The text of each view in each database.
VIEWS = {
    "games": {
        "sqlite": f"""SELECT json_extract(record, '$.id') AS game_id,
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
FROM {_SQLITE_KEPT}""",
        "postgresql": f"""SELECT kept.record->>'id' AS game_id,
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
FROM {_POSTGRESQL_KEPT}""",
    },
    "appearances": {
        "sqlite": _PEOPLE["sqlite"]
        + f""" SELECT json_extract(kept.record, '$.id') AS game_id,
  datetime(kept.ended, 'unixepoch') AS ended,
  contest.key + 1 AS contest,
  json_extract(contest.value, '$.ruleset[0]') AS game,
  json_extract(contest.value, '$.ruleset[1]') AS game_type,
  team.key + 1 AS team,
  COALESCE(person.root, json_extract(member.value, '$[0]')) AS player,
  COALESCE((SELECT json_extract(one.value, '$[1]') FROM json_each(kept.record, '$.names') one
    WHERE json_extract(one.value, '$[0]') = json_extract(member.value, '$[0]')), '') AS name,
  json_extract(member.value, '$[1]') AS share,
  json_extract(contest.value, '$.ranks[' || team.key || ']') AS rank,
  json_extract(contest.value, '$.scores[' || team.key || ']') AS score
FROM {_SQLITE_KEPT}, json_each(kept.record, '$.contests') contest,
  json_each(contest.value, '$.teams') team, json_each(team.value) member
  LEFT JOIN person ON person.player = json_extract(member.value, '$[0]')
WHERE NOT kept.undone""",
        "postgresql": _PEOPLE["postgresql"]
        + f""" SELECT kept.record->>'id' AS game_id,
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
FROM {_POSTGRESQL_KEPT}
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
    """Make the views, in the place of older ones."""
    connection = op.get_bind()
    dialect, inspector = connection.dialect.name, sa.inspect(connection)
    tables, views = inspector.get_table_names(), inspector.get_view_names()
    for name, text in VIEWS.items():
        if name in views and "game_type" in inspector.get_view_definition(name):
            connection.exec_driver_sql(f"DROP VIEW {name}")
        elif name in views or name in tables:  # in a database that others use too
            continue
        connection.exec_driver_sql(f"CREATE VIEW {name} AS {text[dialect]}")
