"""The schemas accept what we accept, refuse what we refuse, and are those of the documentation."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from synapse_ls.formats import config_file, squad_manifest, tree_tests, workflow_state
from synapse_ls.formats.config_settings import CONFIG_OPTIONS
from synapse_ls.formats.json_schema import SCHEMAS
from synapse_ls.formats.yaml_tree import YamlNode, parse_yaml
from tests.cli.conftest import Synapse
from tests.lint.clean import CLEAN

PUBLISHED = Path(__file__).parent.parent.parent / "docs" / "schema"

SQUAD = "name: a-squad\nversion: 1.0.0\n"
STATE = CLEAN[".aiox/release-train-20260102-abc123-state.yaml"]


def accepts(name: str, value: object) -> bool:
    return bool(jsonschema.Draft7Validator(SCHEMAS[name]()).is_valid(value))


def plain(node: YamlNode | None) -> Any:
    """What YAML means, as JSON has it."""
    if node is None:
        return None
    followed = node.target_node
    if followed.kind == "mapping":
        return {key.value: plain(value) for key, value in followed.pairs}
    if followed.kind == "sequence":
        return [plain(item) for item in followed.items]
    return followed.resolve()


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_is_one(name: str) -> None:
    jsonschema.Draft7Validator.check_schema(SCHEMAS[name]())


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_published_schema_is_the_one_that_is_printed(synapse: Synapse, name: str) -> None:
    printed = synapse("schema", name).out
    assert (PUBLISHED / f"{name}.json").read_text(encoding="utf-8") == printed
    assert json.loads(printed)["title"]


def test_every_schema_is_published() -> None:
    assert {path.stem for path in PUBLISHED.glob("*.json")} == set(SCHEMAS)


def test_every_setting_is_in_the_schema_with_its_default() -> None:
    for option in CONFIG_OPTIONS:
        schema = SCHEMAS["config"]()
        for name in option.path.split("."):
            schema = schema["properties"][name]
        assert schema["description"] == option.about
        if option.default is not None:
            assert accepts("config", _nested(option.path, schema["default"]))


def _nested(path: str, value: object) -> object:
    for name in reversed(path.split(".")):
        value = {name: value}
    return value


@pytest.mark.parametrize(
    "text",
    [
        "",
        'profile = "synapse-live"\n[lint]\nselect = ["SYN1"]\n',
        '[lint.severity]\nSYN1 = "off"\n[lint.per_path]\n"squads/**" = ["SYN2"]\n',
        '[paths]\nsquads = "teams"\nstories = ["a", "b"]\n',
        '[workflow.phases.story]\nqa = "qa_review"\n',
        "profil = 1\n",
        "devmode = 1\n",
        '[lint.severity]\nSYN1 = "fatal"\n',
        "[usage]\nmax_context = 0\n",
        '[usage]\nwindows = { "claude-opus-5" = 200000 }\n',
        '[usage]\nwindows = { "claude-opus-5" = 0 }\n',
        '[lint]\nselect = "SYN1"\n',
        "paths = 1\n",
    ],
)
def test_a_configuration_is_accepted_where_it_has_no_problems(text: str) -> None:
    assert accepts("config", tomllib.loads(text)) == (not config_file.parse(text).problems)


@pytest.mark.parametrize(
    "text",
    [
        SQUAD,
        SQUAD + "tags: [a, b]\ncomponents: {agents: [a.md]}\nconfig: {extends: none}\nmore: 1\n",
        "name: a-squad\n",
        "name: A Squad\nversion: 1.0.0\n",
        SQUAD + "tags: a\n",
        SQUAD + "license: WTFPL\n",
        SQUAD + "config: {extends: extends}\n",
        SQUAD + "aiox: {minVersion: '2'}\n",
    ],
)
def test_a_squad_is_accepted_where_it_has_no_problems(text: str) -> None:
    assert accepts("squad", plain(parse_yaml(text).document)) == (
        not squad_manifest.parse(text).problems
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", ""),
        ("status: active", "status: inactive"),
        ("target_context: core", "target_context: elsewhere"),
        ("current_step_index: 0", "current_step_index: -1"),
        ("workflow_name: Release train\n", ""),
        ("status: pending", "status: waiting"),
    ],
)
def test_a_state_is_accepted_where_it_has_no_problems(old: str, new: str) -> None:
    text = STATE.replace(old, new, 1)
    sound = not workflow_state.parse(text).problems
    assert accepts("workflow-state", plain(parse_yaml(text).document)) == sound


@pytest.mark.parametrize(
    "text",
    [
        '[[case]]\nname = "a"\nprompt = "b"\ndomains = ["C"]\n',
        '[[case]]\nname = "a"\nprompt = "b"\ndomain = ["C"]\n',
        '[[case]]\nname = "a"\nprompt = 1\n',
    ],
)
def test_tests_are_accepted_where_they_have_no_problems(text: str) -> None:
    assert accepts("tests", tomllib.loads(text)) == (not tree_tests.parse(text).problems)


def test_a_schema_that_does_not_exist_is_an_error(synapse: Synapse) -> None:
    done = synapse("schema", "squads")
    assert done.code == 2
    assert 'did you mean "squad"?' in done.err
