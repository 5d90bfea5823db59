"""Who has only the extension is told its commands, and no shell's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from synapse_ls.lsp.convert import path_to_uri
from synapse_ls.lsp.feature_table import _EDITOR_COMMANDS, name_editor_commands
from tests.lsp.wire import connected
from tests.trees import write_tree

EXTENSION = Path(__file__).parents[2] / "clients" / "vscode"
STATES = {
    ".carl/manifest": "GLOBAL_STATE=active\nGLOBAL_ALWAYS_ON=true\nGLOBAL_NON_NEGOTIABLE=true\n",
    ".carl/global": "GLOBAL_RULE_0=Write tests\n",
}


@pytest.mark.parametrize(
    ("told", "wanted"),
    [
        (
            "Run `synapse init` to create a tree.",
            "Run “Synapse: Create Rule Tree” to create a tree.",
        ),
        ("`synapse check` says why.", "the Problems panel says why."),
        ("`synapse install --client codex`", "“Synapse: Install Hook…”"),
        (
            "run `synapse profile use synapse-live`",
            "run “Synapse: Use the Profile synapse-live”",
        ),
        ("Run `synapse trust --pin`.", "Run `synapse trust --pin`."),
        ("Run `synapse sync --force`.", "Run `synapse sync --force`."),
        (
            "`synapse init --from a.md`",
            "“Synapse: Create Rule Tree from CLAUDE.md and the Like…”",
        ),
    ],
)
def test_a_command_of_the_shell_is_one_of_the_editor_where_that_has_it(
    told: str, wanted: str
) -> None:
    assert name_editor_commands(told) == wanted


def test_every_command_is_one_of_the_extension() -> None:
    titles = json.loads((EXTENSION / "package.nls.json").read_text("utf-8")).values()
    for _, name in _EDITOR_COMMANDS:
        if name.startswith("“"):
            assert name.strip("“”").removeprefix("Synapse: ") in titles


@pytest.mark.parametrize("links", [True, False])
async def test_a_hover_names_commands_that_there_are(tmp_path: Path, links: bool) -> None:
    manifest = "DEPLOY_STATE=active\nDEPLOY_RECALL=deploy\n"
    files = {".synapse/manifest": manifest, ".synapse/deploy": "DEPLOY_RULE_0=Test first\n"}
    root = write_tree(tmp_path / "team", files)
    uri = path_to_uri(str(root / ".synapse/deploy"))
    async with connected(root, options={"commandLinks": links}) as wire:
        wire.open(uri, files[".synapse/deploy"])
        place = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 16}}
        hover = await wire.request("textDocument/hover", place)
    shown = hover["contents"]["value"]
    assert ("“Synapse: Use the Profile synapse-live”" in shown) == links
    assert ("`synapse profile use synapse-live`" in shown) != links


@pytest.mark.parametrize("links", [True, False])
async def test_findings_and_refusals_name_commands_that_there_are(
    tmp_path: Path, links: bool
) -> None:
    root = write_tree(tmp_path / "team", STATES)
    uri = path_to_uri(str(root / ".carl/manifest"))
    async with connected(root, options={"commandLinks": links}) as wire:
        wire.open(uri, STATES[".carl/manifest"])
        await wire.until(lambda: bool(wire.diagnostics(uri)))
        (found,) = wire.diagnostics(uri)
        assert ("“Synapse: Migrate CARL Tree…”" in found["message"]) == links
        assert ("`synapse migrate`" in found["message"]) != links
        address = found.get("codeDescription", {}).get("href", "")
        assert (address == "command:synapse.showRulePage?%5B%22SYN104%22%5D") == links
        refused = await wire.refusal("synapse/rulePage", {"rule": "SYN999"})
        assert "`synapse rule`" in refused["message"]
