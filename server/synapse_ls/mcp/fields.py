"""Arguments of tools: what a client is told of them as JSON Schema, and reading what it sends.

A model writes the arguments, so a wrong one is answered with a sentence that it can act on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from synapse_ls.service.errors import ServiceError
from synapse_ls.text.json import dumps
from synapse_ls.text.near import nearest

TEXT, NUMBER, INTEGER, LIST = "string", "number", "integer", "array"

_NOUNS = {TEXT: "a text", NUMBER: "a number", INTEGER: "a whole number", LIST: "a list of texts"}
_EMPTY: Mapping[str, Any] = {TEXT: "", NUMBER: None, INTEGER: None, LIST: ()}


@dataclass(frozen=True, slots=True)
class Field:
    """An argument. kind: one of those above. choices: the only values, empty for any.

    json: a text of JSON, for which a model may give the list or the object itself. An argument that
    is not given is "", None or ().
    """

    name: str
    about: str
    kind: str = TEXT
    required: bool = False
    choices: tuple[str, ...] = ()
    json: bool = False

    def schema(self) -> dict[str, Any]:
        """It as JSON Schema."""
        found: dict[str, Any] = {"type": self.kind, "description": self.about}
        if self.kind == LIST:
            found["items"] = {"type": TEXT}
        if self.choices:
            found["enum"] = list(self.choices)
        return found

    def read(self, value: Any) -> Any:
        """What a client sent; ServiceError where that is something else."""
        if value is None:
            return _EMPTY[self.kind]
        if self.kind == LIST and isinstance(value, str):
            value = [value]
        if self.json and isinstance(value, list | dict):
            value = dumps(value, None)
        if not self._is_right(value):
            raise ServiceError(
                f"{self.name} is {_NOUNS[self.kind]}, not {_kind_of(value)}.",
                f"It means: {self.about}.",
            )
        if self.choices and value not in self.choices:
            raise ServiceError(
                f'{self.name} cannot be "{value}".', f"Choose one of {', '.join(self.choices)}."
            )
        return tuple(value) if self.kind == LIST else value

    def _is_right(self, value: Any) -> bool:
        if self.kind == LIST:
            return isinstance(value, list) and all(isinstance(item, str) for item in value)
        if self.kind == TEXT:
            return isinstance(value, str)
        wanted = int if self.kind == INTEGER else (int, float)
        return isinstance(value, wanted) and not isinstance(value, bool)


def schema_of(fields: Sequence[Field]) -> dict[str, Any]:
    """The JSON Schema of all arguments together."""
    found: dict[str, Any] = {
        "type": "object",
        "properties": {field.name: field.schema() for field in fields},
        "additionalProperties": False,
    }
    required = [field.name for field in fields if field.required]
    return found | ({"required": required} if required else {})


def read_all(fields: Sequence[Field], given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments by name, those that are not given among them; ServiceError for a wrong one."""
    known = {field.name: field for field in fields}
    for name in given:
        if name not in known:
            meant = nearest(name, list(known))
            raise ServiceError(
                f'There is no argument "{name}".',
                f"Did you mean {meant}?" if meant else f"There are {', '.join(known) or 'none'}.",
            )
    for field in fields:
        if field.required and given.get(field.name) is None:
            raise ServiceError(f"{field.name} is missing.", f"It means: {field.about}.")
    return {name: field.read(given.get(name)) for name, field in known.items()}


def _kind_of(value: Any) -> str:
    if isinstance(value, bool):
        return "a switch"
    kinds = ((str, "a text"), (int | float, "a number"), (list, "a list of something else"))
    return next((noun for kind, noun in kinds if isinstance(value, kind)), "an object")
