"""Policies of a machine and of a user, in a folder of a test."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from synapse_ls.workspace import policy_reader, user_folders

Place = Callable[[str], Path]


def place_machine_policy(monkeypatch: pytest.MonkeyPatch, folder: Path, text: str) -> Path:
    """Have this process find a policy of the machine; no environment could do that."""
    monkeypatch.setattr(user_folders, "other_policy_folder", [str(folder)])
    home = str(folder.parent / "home")  # where the audit log is then
    monkeypatch.setattr(user_folders, "account_home", lambda: home)
    if hasattr(os, "getuid"):
        monkeypatch.setattr(policy_reader, "ADMINISTRATOR", os.getuid())
    return write_policy(folder, text)


def place_user_policy(monkeypatch: pytest.MonkeyPatch, folder: Path, text: str) -> Path:
    """Have this process find a policy of the user."""
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(folder))
    return write_policy(folder, text)


def write_policy(folder: Path, text: str) -> Path:
    """Write a policy that nobody else may change."""
    folder.mkdir(mode=0o755, exist_ok=True)
    file = folder / "policy.toml"
    file.write_text(text, encoding="utf-8")
    file.chmod(0o644)
    return file
