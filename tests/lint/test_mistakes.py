"""What people get wrong in trees is found, explained, mended where that is safe, and shown in editors."""

from __future__ import annotations

from pathlib import Path

import pytest

from synapse_ls.formats.manifest import Manifest
from synapse_ls.lint.fixes import plan_fixes
from synapse_ls.lint.lint_runner import lint_tree
from synapse_ls.lsp.convert import path_to_uri
from synapse_ls.text.finding import Finding
from synapse_ls.text.line_index import LineIndex
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_loader import load_tree
from tests.engine.blocks import block
from tests.lint.clean import write
from tests.lint.mistakes import MISTAKES, Mistake
from tests.lsp.wire import connected
from tests.trees import plan_of, tree_of

mistakes = pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.name)


def found_in(root: Path, mistake: Mistake) -> tuple[Finding, str]:
    """The finding of a mistake in its tree on disk, and the text of its file."""
    loaded = load_tree(str(root), LoadScope.ALL)
    tree = Tree(loaded.index.snapshot())
    path = next(iter(mistake.broken))
    facts = tree.snapshot.facts(path)
    assert facts
    first = next(
        found
        for found in lint_tree(tree, notes=loaded.notes)
        if (found.code, found.path) == (mistake.code, path)
    )
    return first, facts.text


@mistakes
def test_a_mistake_is_found_at_its_place_and_explained(mistake: Mistake, tmp_path: Path) -> None:
    found, text = found_in(write(tmp_path, mistake.broken), mistake)
    assert mistake.marked in ("", found.span.cut(text))
    assert mistake.effect in found.message
    assert found.remedy


@mistakes
def test_what_can_safely_be_mended_is_mended(mistake: Mistake, tmp_path: Path) -> None:
    loaded = load_tree(str(write(tmp_path, mistake.broken)), LoadScope.ALL)
    mended = plan_fixes(Tree(loaded.index.snapshot()), lint_tree)
    path, before = next(iter(mistake.broken.items()))
    facts = mended.tree.snapshot.facts(path)
    assert facts
    expected = before if mistake.mended is None else mistake.mended
    assert expected in (facts.text, before if isinstance(before, bytes) else None)
    if mistake.mended is not None:
        left = lint_tree(mended.tree)
        assert mistake.code not in {diagnostic.code for diagnostic in left}


@mistakes
async def test_an_editor_shows_a_mistake_at_the_same_place(
    mistake: Mistake, tmp_path: Path
) -> None:
    found, text = found_in(write(tmp_path, mistake.broken), mistake)
    lines = LineIndex(text)
    start, end = lines.position(found.span.start), lines.position(found.span.end)
    uri = path_to_uri(str(tmp_path / found.path))
    async with connected(tmp_path) as wire:
        if found.code != "SYN102":  # an editor shows its own reading of bytes that are no text
            wire.open(uri, text)
        await wire.until(lambda: found.code in [d["code"] for d in wire.diagnostics(uri)])
        shown = next(d for d in wire.diagnostics(uri) if d["code"] == found.code)
    assert shown["range"] == {
        "start": {"line": start[0], "character": start[1]},
        "end": {"line": end[0], "character": end[1]},
    }
    assert shown["message"].startswith(found.message)


def test_a_file_of_a_squad_may_be_called_rules() -> None:
    files = {
        "squads/etl-squad/.synapse/manifest": "PIPELINE_STATE=active\nPIPELINE_RECALL=pipeline\n",
        "squads/etl-squad/.synapse/rules": "PIPELINE_RULE_0=Load in batches.\n",
        ".synapse/config.toml": 'profile = "synapse-live"\n',
    }
    assert lint_tree(tree_of(files)) == ()
    assert "Load in batches." in block(plan_of(files), "the pipeline").text


@pytest.mark.parametrize("header", ["# [*brief] COMMAND:\n", "[*brief] COMMAND:\n", ""])
def test_the_header_of_a_star_command_may_be_a_comment_or_not(header: str) -> None:
    files = {".synapse/commands": f"{header}COMMANDS_RULE_BRIEF_0=Use bullet points.\n"}
    assert lint_tree(tree_of(files)) == ()
    assert "Use bullet points." in block(plan_of(files), "*brief").text


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_a_byte_order_mark_and_either_line_end_change_nothing(
    mark: bytes, end: bytes, tmp_path: Path
) -> None:
    lines = (b"TESTING_STATE=active", b"TESTING_RECALL=unit test", b"")
    files = {
        ".synapse/manifest": mark + end.join(lines),
        ".synapse/testing": mark + b"TESTING_RULE_0=Write the failing test first." + end,
        ".synapse/config.toml": mark + b'profile = "synapse-live"' + end,
    }
    tree = Tree(load_tree(str(write(tmp_path, files)), LoadScope.ALL).index.snapshot())
    assert lint_tree(tree) == ()
    facts = tree.snapshot.facts(".synapse/manifest")
    assert facts
    assert isinstance(facts.document, Manifest)
    assert facts.document.domains["TESTING"].recall == ("unit test",)
