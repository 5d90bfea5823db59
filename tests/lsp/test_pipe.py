"""The server as a process, at work on real files that it watches itself."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import ClientServerConfig

from synapse_ls.lsp.convert import path_to_uri
from synapse_ls.storage.trusted_trees import trust_tree
from tests.bench.bench_index import manifest, rules
from tests.lsp.editor import COMMAND, Editor, begin_session, same_as_after_a_fresh_start
from tests.lsp.wire import PATIENCE
from tests.trees import TEAM, Files, write_tree

pytestmark = pytest.mark.slow

SYNAPSE: Files = {
    **TEAM,
    ".synapse/config.toml": 'profile = "synapse"\nlint.ignore = ["SYN404"]\n',
}
STATE = """\
    workflow_id: story_development
    workflow_name: Story development
    instance_id: one
    status: active
    current_phase: {phase}
    current_step_index: {index}
    updated_at: "2026-03-03T13:40:51.007Z"
    steps:
      - {{step_index: 0, phase: in_development, agent: dev, action: Build, status: in_progress}}
      - {{step_index: 1, phase: qa_review, agent: qa, action: Judge, status: pending}}
"""
CAPABILITIES = types.ClientCapabilities(
    text_document=types.TextDocumentClientCapabilities(
        publish_diagnostics=types.PublishDiagnosticsClientCapabilities(version_support=True)
    ),
    window=types.WindowClientCapabilities(work_done_progress=True),
    workspace=types.WorkspaceClientCapabilities(configuration=True),
)


# What the server takes for the user's own configuration.
CONFIGURATION = tempfile.TemporaryDirectory()


@pytest_lsp.fixture(  # type: ignore[untyped-decorator]
    config=ClientServerConfig(
        server_command=COMMAND,
        client_factory=Editor,
        server_env={**os.environ, "SYNAPSE_LS_CONFIG": CONFIGURATION.name},
    ),
    scope="module",
)
async def editor(lsp_client: Editor) -> AsyncIterator[None]:
    await lsp_client.initialize_session(
        types.InitializeParams(capabilities=CAPABILITIES, workspace_folders=[])
    )
    yield
    await lsp_client.shutdown_session()
    assert lsp_client._server is not None
    assert lsp_client._server.returncode == 0
    assert not lsp_client.messages  # no message box was ever shown


def short(number: int, n: int, text: str = "Check the input.") -> str:
    """The first two of a file's rules."""
    return "\n".join(rules(number, n, text).splitlines()[:2]) + "\n"


def phase(root: Path, name: str, index: int) -> None:
    """Have the workflow reach a phase, saved as editors save: beside the file, then moved."""
    path = root / ".aiox" / "one-state.yaml"
    path.parent.mkdir(exist_ok=True)
    new = path.with_suffix(".tmp")
    new.write_text(dedent(STATE).format(phase=name, index=index), encoding="utf-8")
    new.rename(path)


async def test_a_broken_line_is_told_and_a_mended_one_too(editor: Editor, tmp_path: Path) -> None:
    root = write_tree(tmp_path / "team", SYNAPSE)
    editor.add(root)
    uri = editor.open(root / ".synapse" / "manifest")
    editor.replace(uri, 2, 1, "GLOBAL_STATE active")
    await editor.until(lambda: "SYN103" in editor.codes(uri))
    (told,) = [one for one in editor.published if one.uri == uri and one.diagnostics][-1:]
    assert told.version == 2
    broken = next(one for one in told.diagnostics if one.code == "SYN103")
    assert (broken.range.start.line, broken.range.end.character) == (1, 19)
    editor.replace(uri, 3, 1, "GLOBAL_STATE=active")
    await editor.until(lambda: not editor.codes(uri))
    assert editor.published[-1].version == 3
    await same_as_after_a_fresh_start(editor, root)
    editor.remove(root)


async def test_a_workflow_that_goes_on_is_told_with_its_rules(
    editor: Editor, tmp_path: Path
) -> None:
    root = write_tree(tmp_path / "team", SYNAPSE)
    phase(root, "in_development", 0)
    begin_session(root, "half", used=100_000)
    editor.add(root)
    first = await editor.told(root, lambda change: change["reason"] == "loaded")
    assert (first["bracket"], first["remaining"]) == ("MODERATE", 50.0)
    phase(root, "qa_review", 1)
    told = await editor.told(root, lambda change: change["reason"] == "files")
    texts = {layer["id"]: layer["text"] for layer in told["layers"]}
    assert "run all seven checks" in texts["L3"]
    assert "work in task order" not in texts["L3"]
    context = await editor.ask("context", uri=path_to_uri(str(root)))
    assert all(text in context["block"] for text in texts.values())
    await same_as_after_a_fresh_start(editor, root)
    editor.remove(root)


async def test_in_fresh_a_workflow_that_goes_on_changes_only_the_status(
    editor: Editor, tmp_path: Path
) -> None:
    root = write_tree(tmp_path / "team", SYNAPSE)
    phase(root, "in_development", 0)
    begin_session(root, "begun", used=10_000)
    editor.add(root)
    first = await editor.told(root, lambda change: change["reason"] == "loaded")
    assert first["bracket"] == "FRESH"
    phase(root, "qa_review", 1)
    told = await editor.told(root, lambda change: change["reason"] == "files")
    assert told["layers"] is None
    assert told["hash"] == first["hash"]
    status = await editor.ask("status", uri=path_to_uri(str(root)))
    assert status["workflow"]["phase"] == "qa_review"
    editor.remove(root)


async def test_an_edit_in_a_buffer_is_told_before_it_is_saved(
    editor: Editor, tmp_path: Path
) -> None:
    root = write_tree(tmp_path / "team", SYNAPSE)
    editor.add(root)
    await editor.told(root, lambda change: change["reason"] == "loaded")
    uri = editor.open(root / ".synapse" / "global")
    editor.replace(uri, 2, 0, "GLOBAL_RULE_0=Write tiny functions")
    told = await editor.told(root, lambda change: change["reason"] == "buffer")
    texts = {layer["id"]: layer["text"] for layer in told["layers"]}
    assert "Write tiny functions" in texts["L1"]
    context = await editor.ask("context", uri=path_to_uri(str(root)))
    assert "Write tiny functions" not in context["block"]
    editor.remove(root)


async def test_a_session_that_goes_on_is_told(editor: Editor, tmp_path: Path) -> None:
    root = write_tree(tmp_path / "team", SYNAPSE)
    editor.add(root)
    await editor.told(root, lambda change: change["source"] == "default")
    begin_session(root, "new", used=170_000)
    told = await editor.told(root, lambda change: change["bracket"] == "CRITICAL")
    assert (told["session"], told["remaining"]) == ("new", 15.0)
    begin_session(root, "new", used=20_000)
    told = await editor.told(root, lambda change: change["bracket"] == "FRESH")
    assert told["reason"] == "session"
    await same_as_after_a_fresh_start(editor, root)
    editor.remove(root)


async def test_views_follow_a_hook_and_a_command(editor: Editor, tmp_path: Path) -> None:
    root = write_tree(tmp_path / "team", SYNAPSE)
    editor.add(root)
    await editor.told(root, lambda change: change["reason"] == "loaded")
    event = {"session_id": "here", "cwd": str(root), "prompt": "hello"}
    hook = [sys.executable, "-m", "synapse_ls", "hook", "--client", "claude"]
    hook += ["--event", "UserPromptSubmit"]
    subprocess.run(hook, input=json.dumps(event).encode(), capture_output=True, check=True)
    await editor.told(root, lambda change: change["session"] == "here")
    (told,) = (await editor.ask("injections", uri=path_to_uri(str(root))))["injections"]
    assert (told["session"], told["client"]) == ("here", "claude")
    (account,) = (await editor.ask("why", uri=path_to_uri(str(root)), rule="DOCS_RULE_0"))[
        "accounts"
    ]
    assert account["rendered"] is False
    await editor.workspace_execute_command_async(
        types.ExecuteCommandParams(
            "synapse.setSession", [{"uri": path_to_uri(str(root)), "agent": "qa"}]
        )
    )
    await editor.told(root, lambda change: change["agent"] == "qa")
    editor.remove(root)


async def test_a_linked_squad_is_followed_to_where_it_is(
    editor: Editor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", CONFIGURATION.name)
    root = write_tree(tmp_path / "team", SYNAPSE)
    pack = write_tree(
        tmp_path / "pack",
        {
            "squad.yaml": "name: pack\nversion: 1.0.0\n",
            ".synapse/manifest": "CARE_STATE=active\nCARE_ALWAYS_ON=true\n",
            ".synapse/care": "CARE_RULE_0=Take care\n",
        },
    )
    (root / "squads").mkdir()
    (root / "squads" / "pack").symlink_to(pack, target_is_directory=True)
    trust_tree(str(pack))
    editor.add(root)
    labels = [
        d["label"] for d in (await editor.ask("domains", uri=path_to_uri(str(root))))["domains"]
    ]
    assert "PACK_CARE" in labels
    # A change of the real file, which no watch of the tree itself sees.
    (pack / ".synapse" / "manifest").write_text("CARE_STATE=actve\n", encoding="utf-8")
    link = path_to_uri(str(root / "squads" / "pack" / ".synapse" / "manifest"))
    await editor.until(lambda: bool(editor.codes(link)))
    await same_as_after_a_fresh_start(editor, root)
    # Opened where it really is, the file is spoken of there, and nowhere else.
    real = editor.open(pack / ".synapse" / "manifest")
    await editor.until(lambda: bool(editor.codes(real)) and not editor.codes(link))
    editor.replace(real, 2, 0, "CARE_STATE=active")
    await editor.until(lambda: not editor.codes(real))
    editor.close(real)
    await editor.until(lambda: bool(editor.codes(link)))
    editor.remove(root)


async def test_two_roots_do_not_mix(editor: Editor, tmp_path: Path) -> None:
    broken = {**SYNAPSE, ".synapse/docs": "not a rule\nDOCS_RULE_0=x\n"}
    one, two = write_tree(tmp_path / "one", SYNAPSE), write_tree(tmp_path / "two", broken)
    editor.add(one, two)
    await editor.until(lambda: bool(editor.findings(two)))
    for root in (one, two):
        status = await editor.ask("status", uri=path_to_uri(str(root / ".synapse" / "docs")))
        assert status["root"] == path_to_uri(str(root))
        await same_as_after_a_fresh_start(editor, root)
    (one / ".synapse" / "global").write_text("GLOBAL_RULE_0=Only this one\n", encoding="utf-8")
    told = await editor.told(one, lambda change: change["reason"] == "files")
    assert "Only this one" in told["layers"][0]["text"]
    other = await editor.ask("context", uri=path_to_uri(str(two)))
    assert "Only this one" not in other["block"]
    editor.remove(two)
    await editor.until(lambda: not editor.findings(two))
    await same_as_after_a_fresh_start(editor, one)
    editor.remove(one)


ALONE = "GUARDRAILS_STATE=active\nGUARDRAILS_ALWAYS_ON=true\n"


@pytest.mark.parametrize(("mode", "joined"), [("override", True), ("none", False)])
async def test_how_a_squad_extends_is_followed(
    editor: Editor, mode: str, joined: bool, tmp_path: Path
) -> None:
    yaml = "name: etl\nversion: 1.0.0\nconfig:\n  extends: {}\n"
    root = write_tree(
        tmp_path / "team",
        {
            **SYNAPSE,
            "squads/etl/squad.yaml": yaml.format("extend"),
            "squads/etl/.synapse/manifest": ALONE,
            "squads/etl/.synapse/guardrails": "GUARDRAILS_RULE_0=Load once\n",
        },
    )
    begin_session(root, "half", used=100_000, squad="etl" if joined else "")
    editor.add(root)
    before = (await editor.ask("context", uri=path_to_uri(str(root))))["block"]
    assert "Never print a secret" in before
    assert "Load once" in before
    path = root / "squads" / "etl" / "squad.yaml"
    path.write_text(yaml.format(mode), encoding="utf-8")
    await editor.told(root, lambda change: change["reason"] == "files")
    after = (await editor.ask("context", uri=path_to_uri(str(root))))["block"]
    gone = "Never print a secret" if mode == "override" else "Load once"
    assert gone not in after
    await same_as_after_a_fresh_start(editor, root)
    editor.remove(root)


async def is_served_no_more(editor: Editor, root: Path) -> None:
    """Wait until a tree is gone. Its findings go before it, with the first of its files."""
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                await editor.ask("status", uri=path_to_uri(str(root)))
            except JsonRpcException as error:
                assert "belongs to no tree" in str(error)
                return
            await asyncio.sleep(0.01)


async def test_a_tree_that_vanishes_and_returns_is_served_again(
    editor: Editor, tmp_path: Path
) -> None:
    broken = {**SYNAPSE, ".synapse/docs": "not a rule\nDOCS_RULE_0=x\n"}
    root = write_tree(tmp_path / "team", broken)
    editor.add(root)
    uri = editor.open(root / ".synapse" / "docs")
    await editor.until(lambda: bool(editor.codes(uri)))
    shutil.rmtree(root / ".synapse")
    await editor.until(lambda: not editor.findings(root))
    await is_served_no_more(editor, root)
    write_tree(root, broken)
    await editor.until(lambda: bool(editor.codes(uri)))
    await same_as_after_a_fresh_start(editor, root)
    # It is watched again, too.
    (root / ".synapse" / "global").write_text("GLOBAL_RULE_0=Back again\n", encoding="utf-8")
    await editor.told(
        root, lambda change: any("Back again" in layer["text"] for layer in change["layers"] or ())
    )
    # The same for the whole folder.
    shutil.rmtree(root)
    await editor.until(lambda: not editor.findings(root))
    write_tree(root, broken)
    await editor.until(lambda: bool(editor.codes(uri)))
    await same_as_after_a_fresh_start(editor, root)
    editor.close(uri)
    editor.remove(root)


async def test_two_thousand_files_that_change_at_once(editor: Editor, tmp_path: Path) -> None:
    squads = 200
    root = write_tree(tmp_path / "team", SYNAPSE)
    for number in range(squads):
        folder = root / "squads" / f"squad-{number}" / ".synapse"
        folder.mkdir(parents=True)
        (folder / "manifest").write_text(manifest(number), encoding="utf-8")
        for n in range(1, 10):
            (folder / f"area-{number}-{n}").write_text(short(number, n), encoding="utf-8")
    editor.add(root)
    await editor.told(root, lambda change: change["reason"] == "loaded")
    assert not editor.findings(root)
    for number in range(squads):
        folder = root / "squads" / f"squad-{number}" / ".synapse"
        (folder / "manifest").write_text(manifest(number, "unload"), encoding="utf-8")
        for n in range(1, 10):
            text = short(number, n, "Check the output.")
            text += "no rule at all\n" if number % 5 == n == 3 else ""
            (folder / f"area-{number}-{n}").write_text(text, encoding="utf-8")
    await editor.until(lambda: len(editor.findings(root)) == squads // 5)
    await same_as_after_a_fresh_start(editor, root, ("context", "status"))
    editor.remove(root)
    await editor.until(lambda: not editor.findings(root))


async def test_the_first_index_is_shown_as_progress(editor: Editor, tmp_path: Path) -> None:
    root = write_tree(tmp_path / "team", SYNAPSE)
    before = set(editor.progress_reports)
    editor.add(root)
    await editor.told(root, lambda change: change["reason"] == "loaded")
    await editor.ask("status", uri=path_to_uri(str(root)))
    for token in set(editor.progress_reports) - before:
        reports: list[Any] = editor.progress_reports[token]
        kinds = [report.kind for report in reports if report]
        assert kinds == [] or (kinds[0], kinds[-1]) == ("begin", "end")
    editor.remove(root)


async def test_a_broken_tree_keeps_every_feature_working(editor: Editor, tmp_path: Path) -> None:
    root = write_tree(tmp_path / "team", SYNAPSE)
    (root / ".synapse" / "manifest").write_bytes(b"\xff\xfe\x00=\n\x00GLOBAL_STATE\r=\xc3(\n" * 50)
    (root / ".synapse" / "config.toml").write_text("profile = [\n", encoding="utf-8")
    (root / ".synapse" / "constitution").unlink()
    (root / ".synapse" / "constitution").symlink_to(root / ".synapse" / "constitution")
    (root / ".aiox").mkdir()
    (root / ".aiox" / "a-state.yaml").write_text("a: &a [*a, *a]\n- {", encoding="utf-8")
    editor.add(root)
    for question in ("context", "explain", "status", "domains", "sessions"):
        assert await editor.ask(question, uri=path_to_uri(str(root)))
    uri = path_to_uri(str(root / ".synapse" / "global"))
    assert await editor.text_document_document_symbol_async(
        types.DocumentSymbolParams(types.TextDocumentIdentifier(uri))
    )
    place = types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(0, 3))
    assert await editor.text_document_hover_async(place)
    await same_as_after_a_fresh_start(editor, root)
    editor.remove(root)


def frame(**message: object) -> bytes:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def hello(process: int | None = None) -> bytes:
    params: dict[str, object] = {"processId": process, "capabilities": {}}
    return frame(id=1, method="initialize", params=params) + frame(method="initialized", params={})


@pytest.mark.parametrize(
    ("goodbye", "code"),
    [
        (frame(id=2, method="shutdown") + frame(method="exit"), 0),
        (frame(id=2, method="shutdown"), 0),
        (frame(method="exit"), 1),
        (b"", 1),
    ],
    ids=["shutdown, exit", "shutdown, end of input", "exit", "end of input"],
)
def test_the_exit_code_says_whether_the_client_took_its_leave(goodbye: bytes, code: int) -> None:
    """Whatever else prints, standard output carries messages alone."""
    done = subprocess.run(COMMAND, input=hello() + goodbye, capture_output=True, timeout=60)
    assert done.returncode == code
    assert done.stdout.startswith(b"Content-Length: ")
    assert b"Traceback" not in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="the client is ended with a POSIX signal")
def test_a_server_whose_client_died_leaves_though_its_input_stays_open() -> None:
    """pygls keeps ``processId`` and does nothing with it."""
    client = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    server = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(hello(client.pid))
    server.stdin.flush()
    assert server.stdout.readline().startswith(b"Content-Length")
    client.kill()
    client.wait()
    assert server.wait(60) == 1
    for stream in (client.stdin, server.stdin, server.stdout):
        assert stream is not None
        stream.close()


def test_a_client_that_reads_no_more_ends_the_server() -> None:
    reading, writing = os.pipe()
    server = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=writing)
    os.close(writing)
    os.close(reading)
    assert server.stdin is not None
    server.stdin.write(hello())
    server.stdin.flush()
    assert server.wait(60) == 1
    server.stdin.close()
