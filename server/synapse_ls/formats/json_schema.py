"""JSON Schemas (draft 7) of the formats that have a table of fields, made from these tables.

Editors that know nothing else of a format complete and check its files by them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from synapse_ls.formats import config_schema, squad, tree_tests, workflow_state
from synapse_ls.formats.option import Option

Schema = dict[str, Any]

DRAFT = "http://json-schema.org/draft-07/schema#"
_TEXT: Schema = {"type": "string"}


def config() -> Schema:
    """``.synapse/config.toml``: every setting with its default."""
    return _document(
        "Configuration of a Synapse tree (.synapse/config.toml)", _table(config_schema.OPTIONS)
    )


def tests() -> Schema:
    """``.synapse/tests/*.toml``: a list of cases."""
    case = _table(tree_tests.OPTIONS)
    return _document(
        "Tests of a Synapse tree (.synapse/tests/*.toml)",
        _object({tree_tests.TABLE: {"type": "array", "items": case}}),
    )


def squad_file() -> Schema:
    """``squad.yaml``; further fields are allowed everywhere (AIOX squad-schema)."""
    top: Schema = {"type": "object", "properties": {}}
    for field in squad.SCHEMA:
        parent = top
        for name in field.path[:-1]:
            parent = parent["properties"][name]
        made = _SHAPES[field.shape](field)
        parent.setdefault("properties", {})[field.path[-1]] = made
        if field.required:
            parent.setdefault("required", []).append(field.path[-1])
    return _document("A squad (squad.yaml)", top)


def state_file() -> Schema:
    """The state of a workflow's instance (workflow-state-schema 1.0.0)."""
    words = {
        "status": workflow_state.STATUSES,
        "target_context": workflow_state.CONTEXTS,
    }
    properties: Schema = {name: {} for name in workflow_state.REQUIRED}
    properties |= {name: {"enum": list(allowed)} for name, allowed in words.items()}
    properties["current_step_index"] = {"type": "integer", "minimum": 0}
    step = {
        "type": "object",
        "properties": {"status": {"enum": list(workflow_state.STEP_STATUSES)}},
    }
    properties["steps"] = {"type": "array", "items": step}
    return _document(
        "State of a workflow (.aiox/*-state.yaml)",
        {
            "type": "object",
            "required": list(workflow_state.REQUIRED),
            "properties": properties,
        },
    )


SCHEMAS: Mapping[str, Callable[[], Schema]] = MappingProxyType(
    {"config": config, "squad": squad_file, "workflow-state": state_file, "tests": tests}
)
"""What makes each schema, by the name it is published under."""


def _document(title: str, schema: Schema) -> Schema:
    return {"$schema": DRAFT, "title": title, **schema}


def _object(properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _table(options: Iterable[Option]) -> Schema:
    """The table that holds options, those with dotted paths in tables of their own."""
    top = _object({})
    for option in options:
        *groups, name = option.path.split(".")
        table = top
        for group in groups:
            table = table["properties"].setdefault(group, _object({}))
        table["properties"][name] = _option(option)
    return top


def _option(option: Option) -> Schema:
    schema = {"description": option.about, **_KINDS[option.kind](option)}
    if option.default is not None:
        schema["default"] = _plain(option.default)
    return schema


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def _text(option: Option) -> Schema:
    return {**_TEXT, "enum": list(option.choices)} if option.choices else _TEXT


def _int(option: Option) -> Schema:
    bounds = {"minimum": option.minimum, "maximum": option.maximum}
    return {"type": "integer"} | {key: n for key, n in bounds.items() if n is not None}


def _number(option: Option) -> Schema:
    return {**_int(option), "type": "number"}


def _texts(option: Option) -> Schema:
    return {"type": "array", "items": _text(option)}


def _by_name(values: Callable[[Option], Schema]) -> Callable[[Option], Schema]:
    return lambda option: {"type": "object", "additionalProperties": values(option)}


_KINDS: Mapping[str, Callable[[Option], Schema]] = {
    "text": _text,
    "bool": lambda _: {"type": "boolean"},
    "int": _int,
    "number": _number,
    "texts": _texts,
    "paths": lambda option: {"anyOf": [_TEXT, _texts(option)]},
    "text-by-name": _by_name(_text),
    "texts-by-name": _by_name(_texts),
    "ints-by-name": _by_name(_int),
    "numbers-by-name": _by_name(_number),
    "tables-by-name": _by_name(_by_name(_text)),
    "records-by-name": _by_name(lambda option: _table(option.fields)),
    "records": lambda option: {"type": "array", "items": _table(option.fields)},
    "path": lambda _: _TEXT,
}


def _field(field: squad.Field) -> Schema:
    schema = dict(_TEXT)
    if field.pattern:
        schema["pattern"] = f"^{field.pattern}$"
    if field.options:
        schema["enum"] = list(field.options)
    if field.longest:
        schema["maxLength"] = field.longest
    if field.hint:
        schema["description"] = field.hint
    return schema


_SHAPES: Mapping[str, Callable[[squad.Field], Schema]] = {
    "text": _field,
    "texts": lambda _: {"type": "array", "items": _TEXT},
    "mapping": lambda _: {"type": "object", "properties": {}},
}
