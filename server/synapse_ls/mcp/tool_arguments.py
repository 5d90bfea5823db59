"""This module describes the arguments of MCP tools: their JSON Schema, which a client is sent, and
reading and validating the values that it sends.

A model writes the arguments, so a wrong one is answered with a sentence that it can act on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from synapse_ls.storage.user_error import UserError
from synapse_ls.text.fast_json import dumps
from synapse_ls.workspace.name_suggestions import suggest_names

TEXT, NUMBER, INTEGER, LIST = "string", "number", "integer", "array"

_TYPE_NAMES = {
    TEXT: "a text",
    NUMBER: "a number",
    INTEGER: "a whole number",
    LIST: "a list of texts",
}
_DEFAULTS: Mapping[str, Any] = {TEXT: "", NUMBER: None, INTEGER: None, LIST: ()}


@dataclass(frozen=True, slots=True)
class ToolArgument:
    """A ToolArgument is one argument of a tool. kind: one of those above. choices: the only values,
    empty for any.

    json: a text of JSON, for which a model may give the list or the object itself. An argument that
    is not given is "", None or ().
    """

    name: str
    description: str
    kind: str = TEXT
    required: bool = False
    choices: tuple[str, ...] = ()
    json: bool = False

    def schema(self) -> dict[str, Any]:
        """Returns the argument as JSON Schema."""
        found: dict[str, Any] = {"type": self.kind, "description": self.description}
        if self.kind == LIST:
            found["items"] = {"type": TEXT}
        if self.choices:
            found["enum"] = list(self.choices)
        return found

    def read(self, value: Any) -> Any:
        """Returns the value that a client sent; raises UserError where it is of another type."""
        if value is None:
            return _DEFAULTS[self.kind]
        if self.kind == LIST and isinstance(value, str):
            value = [value]
        if self.json and isinstance(value, list | dict):
            value = dumps(value, None)
        if not self._is_valid(value):
            raise UserError(
                f"{self.name} is {_TYPE_NAMES[self.kind]}, not {_value_type(value)}.",
                f"It means: {self.description}.",
            )
        if self.choices and value not in self.choices:
            raise UserError(
                f'{self.name} cannot be "{value}".', f"Choose one of {', '.join(self.choices)}."
            )
        return tuple(value) if self.kind == LIST else value

    def _is_valid(self, value: Any) -> bool:
        if self.kind == LIST:
            return isinstance(value, list) and all(isinstance(item, str) for item in value)
        if self.kind == TEXT:
            return isinstance(value, str)
        wanted = int if self.kind == INTEGER else (int, float)
        return isinstance(value, wanted) and not isinstance(value, bool)


def arguments_schema(arguments: Sequence[ToolArgument]) -> dict[str, Any]:
    """Returns the JSON Schema of all arguments of an MCP tool together."""
    found: dict[str, Any] = {
        "type": "object",
        "properties": {field.name: field.schema() for field in arguments},
        "additionalProperties": False,
    }
    required = [field.name for field in arguments if field.required]
    return found | ({"required": required} if required else {})


def read_arguments(arguments: Sequence[ToolArgument], values: Mapping[str, Any]) -> dict[str, Any]:
    """Reads the arguments of an MCP tool by name, those that are not given among them; raises
    UserError for a wrong one.
    """
    known = {field.name: field for field in arguments}
    for name in values:
        if name not in known:
            raise UserError(
                f'There is no argument "{name}".',
                suggest_names(name, known, f"There are {', '.join(known) or 'none'}."),
            )
    for field in arguments:
        if field.required and values.get(field.name) is None:
            raise UserError(f"{field.name} is missing.", f"It means: {field.description}.")
    return {name: field.read(values.get(name)) for name, field in known.items()}


def _value_type(value: Any) -> str:
    if isinstance(value, bool):
        return "a switch"
    kinds = ((str, "a text"), (int | float, "a number"), (list, "a list of something else"))
    return next((noun for kind, noun in kinds if isinstance(value, kind)), "an object")
