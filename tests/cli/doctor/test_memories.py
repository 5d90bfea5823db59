"""Memories that are damaged, or not as the program wrote them, are named, with what to do."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Synapse
from tests.cli.doctor.asking import doctor


def troubles(synapse: Synapse) -> list[tuple[str, str, str]]:
    listed = doctor(synapse)["troubles"]
    return [(t["code"], t["sentence"], t["remedy"]) for t in listed if "memory" in t["code"]]


def add(synapse: Synapse, team: Path) -> Path:
    synapse("memory", "add", "Refunds above 500 wait for QA.")
    (file,) = team.glob(".synapse/memory/shared/durable/*.md")
    return file


def test_what_cannot_be_read_is_named(synapse: Synapse, team: Path) -> None:
    file = add(synapse, team)
    file.write_bytes(file.read_bytes().replace(b"500", b"\xe4\0\0"))
    ((code, said, _),) = troubles(synapse)
    assert code == "unread-memory"
    assert f"{file.relative_to(team).as_posix()}:" in said
    assert "is not UTF-8" in said
