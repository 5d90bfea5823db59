"""Generate JSON Schemas (draft 7) of configuration, tree tests, squads and workflow states.

For editors without a language server for these files.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from synapse_ls.formats import config_settings, squad_manifest, tree_tests, workflow_state
from synapse_ls.formats.setting_validation import Option
from synapse_ls.version import content_address

Schema = dict[str, Any]

DRAFT = "http://json-schema.org/draft-07/schema#"
_TEXT: Schema = {"type": "string"}


def tree_tests_schema() -> Schema:
    """Generate the JSON Schema of ``.synapse/tests/*.toml``: a list of cases."""
    case = _options_schema(tree_tests.OPTIONS)
    table = {tree_tests.TABLE: {"type": "array", "items": case}}
    title = "Tests of a Synapse tree (.synapse/tests/*.toml)"
    return _schema_document("tests", title, _object_schema(table))


def squad_schema() -> Schema:
    """Generate the JSON Schema of ``squad.yaml``; further fields are allowed everywhere (AIOX
    squad-schema).
    """
    top: Schema = {"type": "object", "properties": {}}
    for field in squad_manifest.SCHEMA:
        parent = top
        for name in field.path[:-1]:
            parent = parent["properties"][name]
        parent.setdefault("properties", {})[field.path[-1]] = _SHAPES[field.shape](field)
        if field.required:
            parent.setdefault("required", []).append(field.path[-1])
    return _schema_document("squad", "A squad (squad.yaml)", top)


def workflow_state_schema() -> Schema:
    """Generate the JSON Schema of the state of a workflow's instance (workflow-state-schema
    1.0.0).
    """
    words = {"status": workflow_state.STATUSES, "target_context": workflow_state.CONTEXTS}
    properties: Schema = {name: {} for name in workflow_state.REQUIRED}
    properties |= {name: {"enum": list(allowed)} for name, allowed in words.items()}
    properties["current_step_index"] = {"type": "integer", "minimum": 0}
    step = {
        "type": "object",
        "properties": {"status": {"enum": list(workflow_state.STEP_STATUSES)}},
    }
    properties["steps"] = {"type": "array", "items": step}
    return _schema_document(
        "workflow-state",
        "State of a workflow (.aiox/*-state.yaml)",
        {"type": "object", "required": list(workflow_state.REQUIRED), "properties": properties},
    )


# What makes each schema, by the name it is published under.
SCHEMAS: Mapping[str, Callable[[], Schema]] = {
    "config": lambda: _schema_document(
        "config",
        "Configuration of a Synapse tree (.synapse/config.toml)",
        _options_schema(config_settings.CONFIG_OPTIONS),
    ),
    "squad": squad_schema,
    "workflow-state": workflow_state_schema,
    "tests": tree_tests_schema,
}


def _schema_document(name: str, title: str, schema: Schema) -> Schema:
    """Return a whole schema, with the address it is published at once there is one."""
    address = content_address(f"docs/schema/{name}.json")
    return {"$schema": DRAFT, **({"$id": address} if address else {}), "title": title, **schema}


def _object_schema(properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _options_schema(options: Iterable[Option]) -> Schema:
    """Return the schema of the table that holds options, those with dotted paths in tables of their
    own.
    """
    top = _object_schema({})
    for option in options:
        *groups, name = option.path.split(".")
        table = top
        for group in groups:
            table = table["properties"].setdefault(group, _object_schema({}))
        schema = {"description": option.about, **_KINDS[option.kind](option)}
        if option.default is not None:
            schema["default"] = (
                list(option.default) if isinstance(option.default, tuple) else option.default
            )
        table["properties"][name] = schema
    return top


def _text_schema(option: Option) -> Schema:
    return {**_TEXT, "enum": list(option.choices)} if option.choices else _TEXT


def _int_schema(option: Option) -> Schema:
    bounds = {"minimum": option.minimum, "maximum": option.maximum}
    return {"type": "integer"} | {key: n for key, n in bounds.items() if n is not None}


def _number_schema(option: Option) -> Schema:
    return {**_int_schema(option), "type": "number"}


def _texts_schema(option: Option) -> Schema:
    return {"type": "array", "items": _text_schema(option)}


def _mapping_schema(values: Callable[[Option], Schema]) -> Callable[[Option], Schema]:
    return lambda option: {"type": "object", "additionalProperties": values(option)}


_KINDS: Mapping[str, Callable[[Option], Schema]] = {
    "text": _text_schema,
    "bool": lambda _: {"type": "boolean"},
    "int": _int_schema,
    "number": _number_schema,
    "texts": _texts_schema,
    "paths": lambda option: {"anyOf": [_TEXT, _texts_schema(option)]},
    "text-by-name": _mapping_schema(_text_schema),
    "texts-by-name": _mapping_schema(_texts_schema),
    "ints-by-name": _mapping_schema(_int_schema),
    "numbers-by-name": _mapping_schema(_number_schema),
    "tables-by-name": _mapping_schema(_mapping_schema(_text_schema)),
    "records-by-name": _mapping_schema(lambda option: _options_schema(option.fields)),
    "records": lambda option: {"type": "array", "items": _options_schema(option.fields)},
    "path": lambda _: _TEXT,
    "line-range": lambda _: {**_TEXT, "pattern": "^[1-9][0-9]*-[1-9][0-9]*$"},
}


def _field_schema(field: squad_manifest.SquadField) -> Schema:
    schema = dict(_TEXT)
    if field.pattern:
        schema["pattern"] = f"^{field.pattern}$"
    if field.options:
        schema["enum"] = list(field.options)
    if field.max_length:
        schema["maxLength"] = field.max_length
    if field.hint:
        schema["description"] = field.hint
    return schema


_SHAPES: Mapping[str, Callable[[squad_manifest.SquadField], Schema]] = {
    "text": _field_schema,
    "texts": lambda _: {"type": "array", "items": _TEXT},
    "mapping": lambda _: {"type": "object", "properties": {}},
}
