"""``docs/protocol.md``: its examples are run, and its types are those of the code.

``SYNAPSE_UPDATE_DOCS=1 pytest tests/lsp/test_protocol_page.py`` writes the types into the page.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import attrs
import pytest

from synapse_ls.ide.inlay import SORTS
from synapse_ls.ide.tokens.paint import MODIFIERS, TYPES
from synapse_ls.lsp import answers, choices, custom, evidence, history, remembered, states
from synapse_ls.lsp.commands import COMMANDS
from synapse_ls.lsp.configuration import HINTS, SECTION, Settings
from tests.lsp.wire import Wire, connected

REPOSITORY = Path(__file__).parent.parent.parent
PAGE = REPOSITORY / "docs" / "protocol.md"
SHOWCASE = REPOSITORY / "tests" / "workspaces" / "showcase"
UPDATE = "SYNAPSE_UPDATE_DOCS"
_EXCHANGE = re.compile(
    r"^```json request (\S+)\n(.*?)^```\n\n```json answer\n(.*?)^```", re.MULTILINE | re.DOTALL
)
_NOTIFICATION = re.compile(r"^```json notification\n(.*?)^```", re.MULTILINE | re.DOTALL)
_TYPES = {
    "str": "string", "int": "integer", "float": "number", "bool": "boolean", "Any": "any",
    "None": "null",
}  # fmt: skip


def page() -> str:
    return PAGE.read_text(encoding="utf-8")


@pytest.fixture
async def wire(tmp_path: Path) -> AsyncIterator[Wire]:
    root = tmp_path / "tillway-api"
    shutil.copytree(SHOWCASE, root, ignore=shutil.ignore_patterns("sessions"))
    async with connected(root) as wire:
        yield wire


@pytest.mark.parametrize(("method", "params", "told"), _EXCHANGE.findall(page()))
async def test_an_example_is_answered_as_the_page_says(
    method: str, params: str, told: str, wire: Wire
) -> None:
    answer = await wire.request(method, json.loads(params))
    check(json.loads(told), answer, method)


async def test_the_notification_is_as_the_page_says(wire: Wire) -> None:
    (told,) = _NOTIFICATION.findall(page())
    said = await wire.first(lambda m: m.get("method") == custom.DID_CHANGE_CONTEXT)
    check(json.loads(told), said["params"], custom.DID_CHANGE_CONTEXT)


def check(told: Any, said: Any, where: str) -> None:
    """Whether ``said`` is ``told``, in which an ellipsis leaves something out."""
    if told == "…":
        return
    if isinstance(told, dict):
        assert told.keys() - {"…"} <= said.keys(), where
        for name in told.keys() - {"…"}:
            check(told[name], said[name], f"{where}.{name}")
    elif isinstance(told, list) and told[-1:] == ["…"]:
        assert len(said) >= len(told) - 1, where
        for number, item in enumerate(told[:-1]):
            check(item, said[number], f"{where}[{number}]")
    elif isinstance(told, str) and "…" in told:
        pattern = ".*".join(map(re.escape, told.split("…")))
        assert re.fullmatch(pattern, said, re.DOTALL), where
    else:
        assert told == said, where


def test_every_method_is_on_the_page() -> None:
    shown = {method for method, _, _ in _EXCHANGE.findall(page())}
    assert shown == set(custom.PARAMS)
    assert f"## {custom.DID_CHANGE_CONTEXT}" in page()


def test_every_parameter_is_on_the_page() -> None:
    text = page()
    for kind in custom.PARAMS.values():
        for field in attrs.fields(kind):
            assert re.search(rf"\b{custom.camel(field.name)}\?", text), field.name


def test_every_setting_is_on_the_page() -> None:
    shown = ("diagnostics.enabled", "session", "trees.depth", "watch", "codeLens.enabled")
    for name in (*shown, *(f"inlayHints.{sort}" for sort in SORTS)):
        assert f"`{SECTION}.{name}`" in page()
    assert len(Settings.__dataclass_fields__) == 6
    assert HINTS == SORTS


def test_every_command_is_on_the_page() -> None:
    for command in COMMANDS:
        assert f"`{command}`" in page()


def test_the_legend_is_on_the_page() -> None:
    for name in (*TYPES, *MODIFIERS):
        assert f"`{name}`" in page()


def test_every_type_is_on_the_page_as_the_code_has_it() -> None:
    text = page()
    head, heading, _ = text.partition("## Types\n")
    made = head + heading + types_section()
    if os.environ.get(UPDATE):
        PAGE.write_text(made, encoding="utf-8")
        return
    assert text == made


def types_section() -> str:
    """The types of the answers, as TypeScript writes them."""
    lines = ["", "As LSP writes them. A `location` is that of the whole line.", "", "```ts"]
    modules = (answers, choices, evidence, history, states, remembered)
    for kind in (kind for module in modules for kind in vars(module).values()):
        # What one module has from the other is listed once.
        heading = f"interface {getattr(kind, '__name__', '')} {{"
        if isinstance(kind, type) and attrs.has(kind) and heading not in lines:
            lines.append(heading)
            lines += [
                f"  {custom.camel(field.name)}: {typescript(field)};"
                for field in attrs.fields(kind)
            ]
            lines.append("}")
    return "\n".join([*lines, "```", ""])


def typescript(field: attrs.Attribute[Any]) -> str:
    """The type of a field."""
    kind = str(field.type)
    kind = re.sub(r"list\[(.*)\]", r"\1[]", kind)
    kind = re.sub(r"dict\[str, (.*)\]", r"Record<string, \1>", kind)
    return re.sub(r"\b(str|int|float|bool|Any|None)\b", lambda m: _TYPES[m.group()], kind)
