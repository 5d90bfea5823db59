"""What tests ask the doctor, and how they change what it finds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

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
    """Codex and Gemini CLI trust the folder, and somebody has approved Codex's hooks."""
    for folder in (".gemini", ".codex"):
        (home / folder).mkdir(exist_ok=True)
    (home / ".gemini/trustedFolders.json").write_text(json.dumps({str(team): "TRUST_FOLDER"}))
    names = [json.dumps(f"{base}/.codex/hooks.json:stop:0:0") for base in (team, home)]
    states = "".join(f'[hooks.state.{name}]\ntrusted_hash = "x"\n' for name in names)
    (home / ".codex/config.toml").write_text(
        f'[projects.{json.dumps(str(team))}]\ntrust_level = "trusted"\n{states}'
    )
