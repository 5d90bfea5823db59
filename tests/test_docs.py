"""The guide names everything that can be written into a tree."""

from __future__ import annotations

from pathlib import Path

import pytest

from synapse_ls.engine.profiles.registry import MODULES
from synapse_ls.formats.config_schema import OPTIONS
from synapse_ls.formats.manifest import GLOBAL_KEYS, SETTINGS

GUIDE = (Path(__file__).parent.parent / "docs" / "tree.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("suffix", SETTINGS)
def test_each_suffix_of_the_manifest_is_in_the_guide(suffix: str) -> None:
    assert f"_{suffix}`" in GUIDE


@pytest.mark.parametrize("key", GLOBAL_KEYS)
def test_each_global_key_is_in_the_guide(key: str) -> None:
    assert f"`{key}`" in GUIDE


@pytest.mark.parametrize("path", [option.path for option in OPTIONS])
def test_each_setting_is_in_the_guide(path: str) -> None:
    table, _, name = path.rpartition(".")
    if table == "workflow":
        assert f"[{path}" in GUIDE
    else:
        assert not table or f"`[{table}]" in GUIDE
        assert f"`{name}`" in GUIDE or f"[{table}] {name}`" in GUIDE


@pytest.mark.parametrize("name", MODULES)
def test_each_profile_is_in_the_guide(name: str) -> None:
    assert f"`{name}`" in GUIDE
