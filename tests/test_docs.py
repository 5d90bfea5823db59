"""The guide names everything that can be written into a tree."""

from __future__ import annotations

import re
from pathlib import Path

from synapse_ls.engine.profiles import PROFILE_TABLES
from synapse_ls.formats import tree_tests
from synapse_ls.formats.config_settings import CONFIG_OPTIONS
from synapse_ls.formats.manifest import GLOBAL_KEYS, SETTINGS
from synapse_ls.integrations.model_windows import measure_window_usage, model_window
from synapse_ls.lint.lint_runner import lint_tree
from tests.trees import TEAM, plan_of, tree_of

PAGES = Path(__file__).parent.parent / "docs"
GUIDE = "".join((PAGES / name).read_text(encoding="utf-8") for name in ("tree.md", "config.md"))


def test_each_suffix_of_the_manifest_is_in_the_guide() -> None:
    assert [suffix for suffix in SETTINGS if f"_{suffix}`" not in GUIDE] == []


def test_each_global_key_is_in_the_guide() -> None:
    assert [key for key in GLOBAL_KEYS if f"`{key}`" not in GUIDE] == []


def test_each_setting_is_in_the_guide() -> None:
    for path in (option.path for option in CONFIG_OPTIONS):
        table, _, name = path.rpartition(".")
        if table == "workflow":
            assert f"[{path}" in GUIDE
        else:
            assert not table or f"`[{table}]" in GUIDE, path
            assert f"`{name}`" in GUIDE or f"[{table}] {name}`" in GUIDE, path


def test_each_field_of_a_test_is_in_the_guide() -> None:
    assert [name for name in tree_tests.BY_NAME if f"`{name}`" not in GUIDE] == []


def test_the_test_in_the_guide_can_be_run() -> None:
    example = GUIDE.partition("```toml\n[[case]]")[2].partition("```")[0]
    assert not tree_tests.parse(f"[[case]]{example}").problems


def test_each_profile_is_in_the_guide() -> None:
    assert [name for name in PROFILE_TABLES if f"`{name}`" not in GUIDE] == []


def fenced(language: str, first: str) -> str:
    """The example in the guide that begins with a line."""
    (example,) = re.findall(rf"```{language}\n({re.escape(first)}.*?)```", GUIDE, re.DOTALL)
    return str(example)


def test_the_comments_of_the_example_silence_all_that_is_found_there() -> None:
    manifest = fenced("ini", "# synapse: ignore-file")
    files = {".synapse/manifest": manifest, ".synapse/testing": "TESTING_RULE_0=Test first.\n"}
    assert lint_tree(tree_of(files)) == ()
    shown = {**files, ".synapse/manifest": manifest.replace("synapse: ignore", "ignore")}
    names = {diagnostic.name for diagnostic in lint_tree(tree_of(shown))}
    assert names >= {"inline-comment", "bad-state", "bad-boolean"}


def test_the_example_of_a_lint_configuration_does_what_it_says() -> None:
    config = fenced("toml", "[lint]")
    files = {
        ".synapse/config.toml": config,
        ".synapse/manifest": "X_ALWAYS_ON=true\nX_RECALL=a,,b\n",
        ".synapse/x": "X_RULE_0=End with </synapse-rules> first.\n",
    }
    found = {d.name: d.severity.value for d in lint_tree(tree_of(files))}
    assert found == {"missing-state": "warning"}


def test_the_windows_of_the_guide_are_those_of_their_models() -> None:
    plan = plan_of({**TEAM, ".synapse/config.toml": fenced("toml", "[usage.windows]")})
    for model, window in (
        ("us.anthropic.claude-sonnet-5-5", 200_000),
        ("house/llama-7", 64_000),
        ("claude-opus-5", 1_000_000),
    ):
        figures = {"used": 10, "window": model_window(model), "model": model}
        assert measure_window_usage(plan, None, figures).window == window
