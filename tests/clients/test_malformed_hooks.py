"""For which mistakes Codex leaves out a hook file, asked of Codex itself."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

from synapse_ls.integrations.codex.settings import find_malformed_hooks
from synapse_ls.text.jsonc_tree import parse_jsonc
from tests.clients.codex import Codex
from tests.clients.conftest import client_of
from tests.clients.model import Model
from tests.clients.place import Place

COMMON = {"timeout": 5, "statusMessage": "Wait"}
WINDOWS = {"commandWindows": "echo", "async": False}
SOUND: dict[str, Any] = {
    "description": "Ours",
    "hooks": {
        "Stop": [
            {
                "matcher": "x",
                "hooks": [{"type": "command", "command": "echo", **COMMON, **WINDOWS}],
            },
            {"hooks": [{"type": "mcp_tool", "server": "a", "tool": "b", "input": {}, **COMMON}]},
            {
                "hooks": [
                    {"type": "prompt", "prompt": "Done?"},
                    {"type": "agent", "prompt": "Done?"},
                ]
            },
        ],
        "NoEvent": "x",
    },
}
VALUES: tuple[Any, ...] = (None, True, 1, -1, 1.5, "x", [], {})
NEW = "addedByHand"


def containers(value: Any) -> Iterator[Any]:
    """The objects and lists in a value, the value first."""
    if isinstance(value, dict | list):
        yield value
        for inner in value.values() if isinstance(value, dict) else value:
            yield from containers(inner)


def keys(container: Any) -> list[Any]:
    return list(container) if isinstance(container, dict) else list(range(len(container)))


def altered_files() -> Iterator[str]:
    """The sound file with one value replaced, one member left out, added, or named twice."""
    yield json.dumps(SOUND)
    for place, container in enumerate(containers(SOUND)):
        for key in keys(container):
            for value in VALUES:
                altered = deepcopy(SOUND)
                list(containers(altered))[place][key] = value
                yield json.dumps(altered)
            altered = deepcopy(SOUND)
            del list(containers(altered))[place][key]
            yield json.dumps(altered)
        if isinstance(container, dict):
            for key in (*container, NEW):
                altered = deepcopy(SOUND)
                list(containers(altered))[place][NEW] = container.get(key, "x")
                yield json.dumps(altered).replace(NEW, key)


def refused_by(codex: Codex, texts: list[str], folder: Path) -> set[str]:
    """The hook files that Codex does not read, each in a project of its own that it trusts."""
    projects = [folder / str(number) for number in range(len(texts))]
    for project, text in zip(projects, texts, strict=True):
        (project / ".codex").mkdir(parents=True)
        (project / ".codex/hooks.json").write_text(text)
    with (codex.place.home / ".codex/config.toml").open("a", encoding="utf-8") as config:
        for project in projects:
            config.write(f'\n[projects."{project}"]\ntrust_level = "trusted"\n')
    listed = {Path(one["cwd"]): one["warnings"] for one in codex.list_hooks(*projects)}
    return {
        text
        for project, text in zip(projects, texts, strict=True)
        if any("failed to parse" in warning for warning in listed[project])
    }


def test_the_doctor_knows_what_codex_refuses(tmp_path: Path) -> None:
    texts = list(dict.fromkeys(altered_files()))
    with Model() as model:
        codex = client_of("codex", Place(tmp_path / "place", model))
        assert isinstance(codex, Codex)
        refused = refused_by(codex, texts, tmp_path / "projects")
    named = {text for text in texts if any(find_malformed_hooks(parse_jsonc(text)))}
    assert sorted(named - refused) == []
    assert sorted(refused - named) == []
    assert 100 < len(refused) < len(texts)
