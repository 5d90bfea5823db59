"""``docs/protocol.md``: its examples are run, and its types and the extension's are those of the code."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from scripts.generated import protocol_types
from synapse_ls.ide.inlay_hint import HINT_SORTS
from synapse_ls.lsp import feature_table
from synapse_ls.lsp.context_change import ContextChange
from synapse_ls.lsp.custom_messages import PARAMS
from synapse_ls.lsp.editor_settings import HINT_SETTINGS, SECTION, EditorSettings
from synapse_ls.lsp.feature_table import COMMANDS, TOKEN_MODIFIERS, TOKEN_TYPES
from tests.lsp.wire import Wire, connected

REPOSITORY = Path(__file__).parent.parent.parent
PAGE = REPOSITORY / "docs" / "protocol.md"
SHOWCASE = REPOSITORY / "tests" / "workspaces" / "showcase"
TYPESCRIPT = REPOSITORY / "clients" / "vscode" / "src" / "protocol.ts"
_EXCHANGE = re.compile(
    r"^```json request (\S+)\n(.*?)^```\n\n```json answer\n(.*?)^```", re.MULTILINE | re.DOTALL
)
_NOTIFICATION = re.compile(r"^```json notification\n(.*?)^```", re.MULTILINE | re.DOTALL)


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
    assert answer.keys() == protocol_types.field_names(protocol_types.REPORTS[method])


async def test_the_notification_is_as_the_page_says(wire: Wire) -> None:
    (told,) = _NOTIFICATION.findall(page())
    said = await wire.first(lambda m: m.get("method") == feature_table.DID_CHANGE_CONTEXT)
    check(json.loads(told), said["params"], feature_table.DID_CHANGE_CONTEXT)
    assert said["params"].keys() == protocol_types.field_names(ContextChange)


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
    assert shown == set(PARAMS) == set(feature_table.METHODS)
    assert f"## {feature_table.DID_CHANGE_CONTEXT}" in page()


def test_every_setting_is_on_the_page() -> None:
    lint = ("lint.select", "lint.ignore", "lint.severity")
    own = ("instructions.check", "log.level", *lint)
    shown = ("diagnostics.enabled", "session", "trees.depth", "watch", "codeLens.enabled", *own)
    for name in (*shown, *(f"inlayHints.{sort}" for sort in HINT_SORTS)):
        assert f"`{SECTION}.{name}`" in page()
    assert len(EditorSettings.__dataclass_fields__) == 9
    assert HINT_SETTINGS == HINT_SORTS


def test_every_command_is_on_the_page() -> None:
    for command in COMMANDS:
        assert f"`{command}`" in page()


def test_the_legend_is_on_the_page() -> None:
    for name in (*TOKEN_TYPES, *TOKEN_MODIFIERS):
        assert f"`{name}`" in page()


def test_the_types_on_the_page_are_those_of_the_code() -> None:
    assert page() == protocol_types.page_with_types(page()), "run scripts/gen-docs"


def test_the_types_of_the_extension_are_those_of_the_code() -> None:
    written = TYPESCRIPT.read_text(encoding="utf-8")
    assert written == protocol_types.typescript_module(), "run scripts/gen-docs"
