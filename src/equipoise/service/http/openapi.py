"""The OpenAPI 3.1 document, made of the table of operations and of the types that decode and encode.

Types become schemas by msgspec, the table of a request's fields by itself; the parts of requests, and
matches, have schemas of their own in ``equipoise/schemas``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from copy import deepcopy
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import Any

import msgspec

from equipoise.service.http.operation import LONGEST_ID, USUAL, WITH_TOKEN, Operation
from equipoise.service.http.problems import MEDIA_TYPE
from equipoise.service.http.schemas import Questions, UndoBody
from equipoise.service.http.stateless_questions import MOST_POOL
from equipoise.service.weights.messages import MOST_TEAMS
from equipoise.teams.request_fields import LATE, MOOT, all_fields

#: Where schemas stand.
REF = "#/components/schemas/{name}"

#: A place in a path, and how the router learns that it may hold slashes.
_PLACE = re.compile(r"\{(\w+)(?::path)?\}")

#: What answers are written as that are no JSON: texts, and events.
MEDIA_TYPES: Mapping[Any, str] = {str: "text/plain", bytes: "text/event-stream"}

#: One of the events of a stream (Server-Sent Events): what it is, its number, and what it says.
EVENT: Mapping[str, Any] = {
    "type": "object",
    "properties": {name: {"type": "string"} for name in ("event", "id", "data")},
    "required": ["data"],
}

#: What a body is written as that is no JSON.
BODY_TYPES: Mapping[Any, str] = {"SpadsBody": "application/x-www-form-urlencoded"}

#: The schemas of what is written into files, and what their parts are called here.
SCHEMAS: Mapping[str, str] = {"request": "Request", "match": "Match"}

#: What a problem looks like (RFC 9457).
PROBLEM: Mapping[str, Any] = {
    "title": "Problem",
    "description": "Why there is no answer (RFC 9457).",
    "type": "object",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string", "format": "uri", "description": "What kind of problem it is."},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "What is wrong and what is allowed."},
        "parameter": {"type": "string", "description": "The parameter that is wrong."},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["detail", "pointer"],
                "properties": {
                    "detail": {"type": "string"},
                    "pointer": {"type": "string", "description": "Where in the body, as a JSON pointer."},
                },
            },
        },
    },
}


def document(operations: Sequence[Operation]) -> dict[str, Any]:
    """Return the document of operations as plain data."""
    types = [kind for each in operations for kind in (each.answer, each.body, each.query)]
    kinds = [kind for kind in dict.fromkeys(map(_hashable, types)) if kind is not None]
    _, components = msgspec.json.schema_components(kinds, ref_template=REF)
    schemas = {**components, **_requests(), "Problem": dict(PROBLEM)}
    paths: dict[str, dict[str, Any]] = {}
    for each in operations:
        path = _PLACE.sub(r"{\1}", each.path)
        paths.setdefault(path, {})[each.method.lower()] = _operation(each, components)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "equipoise",
            "version": version("equipoise"),
            "summary": "Fair teams: divides, rates, and keeps results.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _hashable(kind: Any) -> Any:
    return None if kind in (None, Any, *MEDIA_TYPES) or isinstance(kind, str) else kind


def _operation(each: Operation, components: Mapping[str, Any]) -> dict[str, Any]:
    media_type = MEDIA_TYPES.get(each.answer, "application/json")
    content = {media_type: {"schema": _schema(each.answer)}}
    answers = {str(status): {"description": why, "content": content} for status, why in each.done.items()}
    problems = {**USUAL, **(WITH_TOKEN if each.scope else {}), **each.answers}
    if each.query is None:
        problems = {
            status: why for status, why in problems.items() if status != 422 or each.body is not None
        } | {422: "There is no such parameter."}
    plain: dict[str, Any] = {
        "operationId": each.name,
        "summary": each.summary,
        "responses": answers
        | {str(status): _problem(status, why) for status, why in sorted(problems.items())},
    }
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
        for name in _PLACE.findall(each.path)
    ]
    if each.query is not None:
        parameters += _parameters(each.query, components)
    if each.body == "ResultBody":
        parameters.append({
            "name": "Idempotency-Key", "in": "header", "required": False,
            "schema": {"type": "string", "maxLength": LONGEST_ID},
            "description": "The match's id, where the body has none; where it has one, the same.",
        })  # fmt: skip
    if each.scope:
        plain["security"] = [{"token": []}] if each.scope != "read" else [{}, {"token": []}]
        plain["description"] = f"A token needs the scope {each.scope}."
    if parameters:
        plain["parameters"] = parameters
    if each.body is not None:
        plain["requestBody"] = {
            "required": each.body is not UndoBody,  # it has a default for everything
            "content": {BODY_TYPES.get(each.body, "application/json"): {"schema": _schema(each.body)}},
        }
    return plain


def _schema(kind: Any) -> dict[str, Any]:
    if kind is Any:
        return {"type": "object"}
    if kind is bytes:
        return dict(EVENT)
    if kind in MEDIA_TYPES:
        return {"type": "string"}
    return {"$ref": REF.format(name=kind if isinstance(kind, str) else kind.__name__)}


def _problem(status: int, why: str) -> dict[str, Any]:
    if status == 304:
        return {"description": why}
    return {"description": why, "content": {MEDIA_TYPE: {"schema": {"$ref": REF.format(name="Problem")}}}}


def _parameters(kind: Any, components: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the parameters of a type, each with its schema."""
    found = []
    for name, schema in components[kind.__name__]["properties"].items():
        known = {key: value for key, value in schema.items() if key != "description"}
        typed = [each for each in known.get("anyOf", ()) if each != {"type": "null"}]
        if typed:  # what is left out has no value to be written
            known = typed[0]
        described = schema.get("description") or known.pop("description", "")
        found.append(
            {"name": name, "in": "query", "required": False, "schema": known}
            | ({"description": described} if described else {})
        )
    return found


def schema_of(name: str) -> dict[str, Any]:
    """Return a schema, one of :data:`SCHEMAS`; that of a request has the fields of its table."""
    if name == "request":
        schema = _stored("request_parts")
        fields = {field.name: field.json_schema for field in all_fields().values()}
        return {**schema, "properties": {**schema["properties"], **fields}}
    return _stored(name)


def _stored(name: str) -> dict[str, Any]:
    text = (files("equipoise") / "schemas" / f"{name}.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


@cache
def _requests() -> dict[str, Any]:
    """Return the schemas of requests and matches, and the bodies that are made of them."""
    found: dict[str, Any] = {}
    for name, prefix in SCHEMAS.items():
        plain = schema_of(name)
        defined = plain.pop("$defs", {})
        parts = {part: prefix + part.title().replace("_", "") for part in defined}
        for part, called in parts.items():
            found[called] = _referring(defined[part], parts)
        del plain["$schema"]
        found[prefix] = _referring(plain, parts)
    request = found.pop("Request")
    text = {
        "text": {"type": "string", "description": "Instead of players: names as people write them."},
        "read": {
            "type": ["string", "null"],
            "description": "How to read a text that can be read in several ways: what the questions offer, "
            "separated by commas.",
        },
    }
    base = {
        **{key: value for key, value in request.items() if key != "required"},
        "properties": {**request["properties"], **text},
        "oneOf": [{"required": ["players"]}, {"required": ["text"]}],
        "dependentRequired": {"read": ["text"]},
    }
    _, asked = msgspec.json.schema_components([Questions], ref_template=REF)
    pool = {
        "type": ["integer", "null"],
        "minimum": 0,
        "maximum": MOST_POOL,
        "description": "How many bots there are.",
    }
    found["SpadsBody"] = {
        "type": "object",
        "required": ["players", "nbTeams"],
        "properties": {
            "players": {"type": "string", "description": "A table from names, as Python or JSON writes it."},
            "bots": {"type": "string", "description": "The same; where there are some, nothing is divided."},
            "nbTeams": {"type": "integer", "minimum": 2, "maximum": MOST_TEAMS},
            "teamSize": {"type": "string"},
            "clanMode": {"type": "string"},
            "balanceMode": {"type": "string"},
        },
    }
    found["ResultBody"] = _result(found["Match"])
    found["BalanceBody"] = base
    found["ExplainBody"] = _with(base, asked["Questions"]["properties"])
    refused = {field.name for field in all_fields().values() if not {LATE, MOOT} & {*field.kept_by}}
    kept = {name: schema for name, schema in base["properties"].items() if name not in refused}
    found["LateBody"] = _with({**base, "properties": kept}, {"pool": pool})
    return found


def _result(match: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of a match that is reported: its id is bounded, and every contest has a game."""
    named = {"required": ["game"], "properties": {"game": {"minLength": 1}}}
    in_each = {"required": ["contests"], "properties": {"contests": {"items": named}}}
    return {
        **match,
        "description": "A match as in match files; it has ended now unless it says when.",
        "properties": {**match["properties"], "id": {**match["properties"]["id"], "maxLength": LONGEST_ID}},
        "allOf": [{"anyOf": [named, in_each]}],
    }


def _with(base: Mapping[str, Any], properties: Mapping[str, Any]) -> dict[str, Any]:
    return {**deepcopy(dict(base)), "properties": {**base["properties"], **properties}}


def _referring(plain: Any, parts: Mapping[str, str]) -> Any:
    """Return a schema whose references lead to the components."""
    if isinstance(plain, dict):
        return {
            key: REF.format(name=parts[value.removeprefix("#/$defs/")])
            if key == "$ref"
            else _referring(value, parts)
            for key, value in plain.items()
        }
    return [_referring(each, parts) for each in plain] if isinstance(plain, list) else plain
