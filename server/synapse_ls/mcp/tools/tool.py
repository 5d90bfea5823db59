"""What a tool is: a table row that its own module fills in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mcp import types

from synapse_ls.mcp.fields import Field, schema_of
from synapse_ls.mcp.said import Said

Given = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool. about: for the model that chooses. run: (root, arguments) -> what it says; for a
    thread. changes: whether it changes a session or what is remembered. idempotent: whether the
    same again makes no difference. confirm: (root, arguments) -> the question that a
    person has to say yes to before, "" for none. by_hand: arguments -> the words of the command line
    with which a person does the same.
    """

    name: str
    title: str
    about: str
    fields: tuple[Field, ...]
    run: Callable[[str, Given], Said]
    changes: bool = False
    idempotent: bool = True
    confirm: Callable[[str, Given], str] | None = None
    by_hand: Callable[[Given], list[str]] | None = None

    def described(self) -> types.Tool:
        """It as a client is told of it."""
        return types.Tool(
            name=self.name,
            title=self.title,
            description=self.about,
            input_schema=schema_of(self.fields),
            annotations=types.ToolAnnotations(
                title=self.title,
                read_only_hint=not self.changes,
                # What a session was set to before is lost, but never a file that somebody wrote.
                destructive_hint=False,
                idempotent_hint=self.idempotent,
                open_world_hint=False,
            ),
        )
