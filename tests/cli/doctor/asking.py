"""What tests ask the doctor, and how they change what it finds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from synapse_ls.integrations.codex.settings import event_key, hash_hook
from tests.cli.conftest import Synapse


def doctor(synapse: Synapse, *arguments: str) -> dict[str, Any]:
    document: dict[str, Any] = synapse("doctor", "--runs", "0", *arguments, "--format", "json").json
    return document


def replace_program(tmp_path: Path, script: str) -> None:
    """Has the search path lead to a ``synapse-ls`` that is this script of a shell."""
    program = tmp_path / "bin/synapse-ls"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


def codes(document: dict[str, Any], client: str = "") -> list[str]:
    return [t["code"] for t in document["troubles"] if t["client"] == client]


def settings(team: Path, name: str, change: dict[str, Any]) -> None:
    file = team / name
    found = json.loads(file.read_text()) if file.exists() else {}
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({**found, **change}))


def agreed_to(team: Path, home: Path) -> None:
    """Codex and Gemini CLI trust the folder, and somebody has approved Codex's hooks, as they are."""
    for folder in (".gemini", ".codex"):
        (home / folder).mkdir(exist_ok=True)
    (home / ".gemini/trustedFolders.json").write_text(json.dumps({str(team): "TRUST_FOLDER"}))
    (home / ".codex/config.toml").write_text(
        trusted_folder(team)
        + approved_hooks(team / ".codex/hooks.json")
        + approved_hooks(home / ".codex/hooks.json")
    )


def trusted_folder(folder: Path, level: str = "trusted") -> str:
    """What Codex keeps of a folder that a person trusts."""
    return f'[projects.{json.dumps(str(folder))}]\ntrust_level = "{level}"\n'


def approved_hooks(file: Path, spelled: Path | None = None) -> str:
    """What Codex keeps of a hook file, by the path that it has for it, once all of it was approved."""
    hooks = json.loads(file.read_text())["hooks"] if file.exists() else {}
    return "".join(
        f"[hooks.state.{json.dumps(f'{spelled or file}:{event_key(event)}:{number}:{position}')}]\n"
        f'trusted_hash = "{hash_hook(event, group, hook)}"\n'
        for event, groups in hooks.items()
        for number, group in enumerate(groups)
        for position, hook in enumerate(group["hooks"])
    )
