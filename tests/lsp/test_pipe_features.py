"""What the protocol offers beside the usual features, asked of the server as a process."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig

from synapse_ls.lsp.convert import path_to_uri
from tests.lsp.editor import COMMAND, Editor, plain
from tests.trees import TEAM, Files, write_tree

pytestmark = pytest.mark.slow

CONFIGURATION = tempfile.TemporaryDirectory()
"""What the server takes for the user's own configuration."""
WORK: Files = {
    **TEAM,
    ".claude/agents/dev.md": "---\nname: dev\n---\n```yaml\nagent:\n  id: dev\ndependencies:\n"
    "  tasks:\n    - build-it.md\n```\n",
    ".aiox-core/development/agents/dev.md": "# dev\n\n```yaml\nagent:\n  id: dev\n  name: Dex\n"
    "dependencies:\n  tasks:\n    - build-it.md\n```\n",
    ".aiox-core/development/tasks/build-it.md": "# Build it\n\nBuild it.\n",
    ".aiox-core/development/workflows/story-development.yaml": """\
        workflow:
          id: story_development
          name: Story development
          sequence:
            - step: build
              id: build
              phase: build
              agent: dev
              task: build-it.md
              action: Build it
            - step: judge
              id: judge
              phase: judge
              agent: qa
              action: Judge it
        """,
}
WORKFLOW = ".aiox-core/development/workflows/story-development.yaml"


@pytest_lsp.fixture(  # type: ignore[untyped-decorator]
    config=ClientServerConfig(
        server_command=COMMAND,
        client_factory=Editor,
        server_env={**os.environ, "SYNAPSE_LS_CONFIG": CONFIGURATION.name},
    ),
    scope="module",
)
async def editor(lsp_client: Editor) -> AsyncIterator[None]:
    content: Any = types.TextDocumentContentClientCapabilities()
    await lsp_client.initialize_session(
        types.InitializeParams(
            types.ClientCapabilities(
                workspace=types.WorkspaceClientCapabilities(text_document_content=content),
                window=types.WindowClientCapabilities(
                    show_document=types.ShowDocumentClientCapabilities(support=True)
                ),
            ),
            workspace_folders=[],
        )
    )
    yield
    await lsp_client.shutdown_session()


@pytest.fixture
def root(editor: Editor, tmp_path: Path) -> Iterator[Path]:
    """A tree that the editor has open."""
    root = write_tree(tmp_path / "team", WORK)
    editor.add(root)
    yield root
    editor.remove(root)


def document(root: Path, path: str) -> types.TextDocumentIdentifier:
    return types.TextDocumentIdentifier(path_to_uri(str(root / path)))


def starts(ranges: Any) -> list[tuple[int, int, int]]:
    """Line, first and last column of ranges."""
    return [(r.start.line, r.start.character, r.end.character) for r in ranges]


async def test_the_name_of_a_domain_is_edited_everywhere_in_its_file(
    editor: Editor, root: Path
) -> None:
    place = types.Position(10, 3)
    manifest = types.LinkedEditingRangeParams(document(root, ".synapse/manifest"), place)
    linked = await editor.text_document_linked_editing_range_async(manifest)
    assert linked is not None
    assert starts(linked.ranges) == [(10, 0, 7), (11, 0, 7), (12, 0, 7)]
    rules = types.LinkedEditingRangeParams(document(root, ".synapse/testing"), types.Position(0, 3))
    linked = await editor.text_document_linked_editing_range_async(rules)
    assert linked is not None
    assert starts(linked.ranges) == [(0, 0, 7), (1, 0, 7)]


async def test_a_setting_has_no_linked_places(editor: Editor, root: Path) -> None:
    asked = types.LinkedEditingRangeParams(
        document(root, ".synapse/manifest"), types.Position(10, 10)
    )
    assert await editor.text_document_linked_editing_range_async(asked) is None


@pytest.mark.parametrize(
    ("typed", "line", "written"),
    [
        ("DOCS_RULE_0=One\n\n", 1, "DOCS_RULE_1="),
        ("DOCS_RULE_0=One\n\nDOCS_RULE_4=Two\n", 1, "DOCS_RULE_5="),
        ("DOCS_RULE_0=One\nDOCS_RULE_1=\n\n", 2, ""),
        ("# A remark\n\n", 1, None),
    ],
    ids=["the next", "behind the last", "an empty rule ends the list", "no rule above"],
)
async def test_a_line_break_behind_a_rule_numbers_the_next(
    typed: str, line: int, written: str | None, editor: Editor, root: Path
) -> None:
    (root / ".synapse/docs").write_text(typed, encoding="utf-8")
    uri = editor.open(root / ".synapse/docs")
    asked = types.DocumentOnTypeFormattingParams(
        types.TextDocumentIdentifier(uri),
        types.Position(line, 0),
        "\n",
        types.FormattingOptions(4, True),
    )
    edits = await editor.text_document_on_type_formatting_async(asked)
    assert [edit.new_text for edit in edits or ()] == ([] if written is None else [written])
    editor.close(uri)


async def test_several_ranges_are_laid_out_at_once(editor: Editor, root: Path) -> None:
    (root / ".synapse/docs").write_text(
        "DOCS_RULE_0 = One\nDOCS_RULE_1 = Two\nDOCS_RULE_2 = Three\n", encoding="utf-8"
    )
    uri = editor.open(root / ".synapse/docs")
    ranges = [types.Range(types.Position(n, 0), types.Position(n, 5)) for n in (0, 2)]
    edits = await editor.text_document_ranges_formatting_async(
        types.DocumentRangesFormattingParams(
            types.TextDocumentIdentifier(uri), ranges, types.FormattingOptions(4, True)
        )
    )
    assert [edit.range.start.line for edit in edits or ()] == [0, 2]
    editor.close(uri)


async def test_a_key_of_the_manifest_is_declared_there_and_defined_by_its_rules(
    editor: Editor, root: Path
) -> None:
    manifest = document(root, ".synapse/manifest")
    place = types.Position(11, 3)
    declared: Any = await editor.text_document_declaration_async(
        types.DeclarationParams(manifest, place)
    )
    assert [(d.uri, d.range.start.line) for d in declared] == [(manifest.uri, 10)]
    defined: Any = await editor.text_document_definition_async(
        types.DefinitionParams(manifest, place)
    )
    assert [d.uri for d in defined] == [document(root, ".synapse/testing").uri]


async def test_a_workflow_calls_its_steps_they_an_agent_and_that_its_tasks(
    editor: Editor, root: Path
) -> None:
    async def outgoing(item: types.CallHierarchyItem) -> dict[str, types.CallHierarchyItem]:
        asked = types.CallHierarchyOutgoingCallsParams(item)
        calls = await editor.call_hierarchy_outgoing_calls_async(asked)
        return {call.to.name: call.to for call in calls or ()}

    async def incoming(item: types.CallHierarchyItem) -> list[str]:
        asked = types.CallHierarchyIncomingCallsParams(item)
        calls = await editor.call_hierarchy_incoming_calls_async(asked)
        return [call.from_.name for call in calls or ()]

    asked = types.CallHierarchyPrepareParams(document(root, WORKFLOW), types.Position(1, 8))
    (workflow,) = await editor.text_document_prepare_call_hierarchy_async(asked) or ()
    steps = await outgoing(workflow)
    assert list(steps) == ["build", "judge"]
    work = await outgoing(steps["build"])
    assert list(work) == ["@dev", "build-it"]
    tasks = await outgoing(work["@dev"])
    assert list(tasks) == ["build-it"]
    assert await incoming(tasks["build-it"]) == ["@dev", "build"]
    assert await incoming(steps["judge"]) == ["story_development"]


async def test_a_preview_is_a_text_of_the_server(editor: Editor, root: Path) -> None:
    shown: list[str] = []
    editor.protocol.fm.features.pop(types.WINDOW_SHOW_DOCUMENT, None)

    @editor.feature(types.WINDOW_SHOW_DOCUMENT)  # type: ignore[untyped-decorator]
    def show(params: types.ShowDocumentParams) -> types.ShowDocumentResult:
        shown.append(params.uri)
        return types.ShowDocumentResult(True)

    folder = path_to_uri(str(root))  # the page promises a folder too
    asked = types.ExecuteCommandParams("synapse.preview", [{"uri": folder, "agent": "qa"}])
    answer = plain(await editor.workspace_execute_command_async(asked))
    assert shown == [answer["uri"]]
    assert answer["uri"].startswith("synapse-block:")
    content = await editor.workspace_text_document_content_async(
        types.TextDocumentContentParams(answer["uri"])
    )
    assert content.text == answer["block"]


async def test_references_and_symbols_come_in_parts_with_their_progress(
    editor: Editor, root: Path
) -> None:
    parts: list[Any] = []
    editor.protocol.fm.features.pop(types.PROGRESS, None)
    editor.protocol.fm.builtin_features.pop(types.PROGRESS, None)
    editor.feature(types.PROGRESS)(lambda params: parts.append(plain(params.value)))
    place = types.Position(10, 3)
    references = await editor.text_document_references_async(
        types.ReferenceParams(
            context=types.ReferenceContext(include_declaration=True),
            text_document=document(root, ".synapse/manifest"),
            position=place,
            work_done_token="work",
            partial_result_token="part",
        )
    )
    assert not references
    begin, end, found = parts
    assert (begin["kind"], end["kind"]) == ("begin", "end")
    assert [one["range"]["start"]["line"] for one in found] == [10, 11, 12, 0, 1]
    parts.clear()
    symbols = await editor.workspace_symbol_async(
        types.WorkspaceSymbolParams("testing", partial_result_token="part")
    )
    assert not symbols
    assert "TESTING" in [one["name"] for one in parts[0]]


def test_a_header_without_a_length_ends_the_server_with_the_reason() -> None:
    """Whatever comes after it could be anything: only a new process can be understood again."""
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "shutdown"}).encode()
    server = subprocess.Popen(
        COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert server.stdin is not None
    assert server.stderr is not None
    server.stdin.write(b"Content-Length: many\r\n\r\n%b" % body)
    server.stdin.flush()  # the pipe stays open
    assert server.wait(60) == 1
    assert b"does not say how long its message is" in server.stderr.read()
    for stream in (server.stdin, server.stdout, server.stderr):
        assert stream is not None
        stream.close()
