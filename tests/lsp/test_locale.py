"""A client in another language is told everything in it, and everything else as in English."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from synapse_ls.lsp.convert import path_to_uri
from synapse_ls.lsp.stdio_transport import FrameReader
from tests.lsp.declared import capabilities
from tests.lsp.editor import COMMAND
from tests.lsp.test_code_actions import asking, chosen
from tests.lsp.test_pipe import frame
from tests.lsp.wire import WATCHES, Message, Wire, connected
from tests.trees import write_tree

TREE = {
    ".synapse/manifest": "GLOBAL_STATE=active\nTESTING_STATE=active\nTESTING_ALWAYS_ON=true\nTESTING_STATE=active\n",
    ".synapse/global": "GLOBAL_RULE_0=Answer in English.\n",
    ".synapse/testings": "TESTING_RULE_0=Write the failing test first.\n",
}
NO_FILE = {
    "en": "No rules of TESTING are injected: they are read from `.synapse/testing`, but the file is called "
    "`.synapse/testings`. Rename the file `.synapse/testings` to `.synapse/testing`.",
    "pt-br": "Nenhuma regra de TESTING é injetada: elas são lidas de `.synapse/testing`, mas o arquivo se chama "
    "`.synapse/testings`. Renomeie o arquivo `.synapse/testings` para `.synapse/testing`.",
    "es": "No se inyecta ninguna regla de TESTING: se leen de `.synapse/testing`, pero el archivo se llama "
    "`.synapse/testings`. Cambie el nombre del archivo `.synapse/testings` a `.synapse/testing`.",
}
DELETE_LINE = {
    "en": "Delete the repeated line",
    "pt-br": "Apagar a linha repetida",
    "es": "Borrar la línea repetida",
}
locales = pytest.mark.parametrize("locale", ["pt-br", "es"])
PULLING: Message = {
    "textDocument": {"diagnostic": {}, "publishDiagnostics": {"relatedInformation": True}},
    "workspace": {**WATCHES, "diagnostics": {"refreshSupport": True}},
}


def without_sentences(found: list[Message]) -> list[Message]:
    """Diagnostics with nothing that is said to a person."""
    bare: list[Message] = []
    for one in found:
        places = [{**place, "message": ""} for place in one.get("relatedInformation", [])]
        bare.append({**one, "message": "", "relatedInformation": places})
    return bare


async def pulled(root: Path, locale: str) -> tuple[list[Message], list[Message]]:
    """The diagnostics of the manifest as a file and as a part of the workspace."""
    uri = path_to_uri(str(root / ".synapse/manifest"))
    async with connected(root, capabilities=PULLING, locale=locale) as wire:
        wire.open(uri, TREE[".synapse/manifest"])
        await wire.settled()
        one = await wire.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})
        everything = await wire.request("workspace/diagnostic", {"previousResultIds": []})
    mine = next(report for report in everything["items"] if report["uri"] == uri)
    return one["items"], mine["items"]


@locales
async def test_only_the_sentences_of_a_finding_are_in_another_language(
    tmp_path: Path, locale: str
) -> None:
    root = write_tree(tmp_path, TREE)
    english, _ = await pulled(root, "en")
    told, everywhere = await pulled(root, locale)
    assert told == everywhere
    assert without_sentences(told) == without_sentences(english)
    assert NO_FILE["en"] in {one["message"] for one in english}
    assert NO_FILE[locale] in {one["message"] for one in told}
    assert not {one["message"] for one in english} & {one["message"] for one in told}


@locales
async def test_what_is_pushed_is_in_the_same_language(tmp_path: Path, locale: str) -> None:
    root = write_tree(tmp_path, TREE)
    uri = path_to_uri(str(root / ".synapse/manifest"))
    async with connected(root, locale=locale) as wire:
        await wire.settled()
        pushed = {one["message"] for one in wire.diagnostics(uri)}
    assert NO_FILE[locale] in pushed


async def told_of(wire: Wire, uri: str) -> list[Message]:
    """What a client is told of a file, which some ask for and others wait for."""
    if not wire.server.client.pull:
        return wire.diagnostics(uri)
    report = await wire.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})
    items: list[Message] = report["items"]
    return items


@locales
@pytest.mark.parametrize("client", ["vscode", "neovim"])
async def test_an_action_is_in_the_same_language_and_matches_its_finding(
    tmp_path: Path, client: str, locale: str
) -> None:
    root = write_tree(tmp_path, TREE)
    uri = path_to_uri(str(root / ".synapse/manifest"))
    offered: dict[str, list[Message]] = {}
    edits: dict[str, Any] = {}
    for language in ("en", locale):
        async with connected(root, capabilities=capabilities(client), locale=language) as wire:
            wire.open(uri, TREE[".synapse/manifest"])
            await wire.settled()
            here = [one for one in await told_of(wire, uri) if one["code"] == "SYN108"]
            found = await wire.request("textDocument/codeAction", asking(uri, 3, *here))
            offered[language] = found
            listed = next(one for one in found if one["title"] == DELETE_LINE[language])
            assert listed["diagnostics"] == here
            action = await chosen(wire, found, DELETE_LINE[language])
            edits[language] = action["edit"]
    assert edits[locale] == edits["en"]
    for one, other in zip(offered["en"], offered[locale], strict=True):
        assert one["title"] != other["title"]
        assert {**one, "title": "", "diagnostics": None} == {
            **other,
            "title": "",
            "diagnostics": None,
        }


NEXT_RULE = {
    "pt-br": ("próxima regra", "A próxima regra de GLOBAL."),
    "es": ("siguiente regla", "La siguiente regla de GLOBAL."),
}


@locales
async def test_a_completion_explains_itself_in_the_same_language(
    tmp_path: Path, locale: str
) -> None:
    root = write_tree(tmp_path, TREE)
    uri = path_to_uri(str(root / ".synapse/global"))
    async with connected(root, capabilities=capabilities("vscode"), locale=locale) as wire:
        wire.open(uri, TREE[".synapse/global"])
        await wire.settled()
        place = {"textDocument": {"uri": uri}, "position": {"line": 1, "character": 0}}
        offered = await wire.request("textDocument/completion", place)
        item = next(one for one in offered["items"] if one["label"] == "GLOBAL_RULE_1")
        resolved = await wire.request("completionItem/resolve", item)
    about = item["labelDetails"]["description"], resolved["documentation"]["value"]
    assert about == NEXT_RULE[locale]


@pytest.mark.parametrize("locale", ["pt-BR", "es-MX", "de", ""])
def test_a_server_process_speaks_the_clients_language(tmp_path: Path, locale: str) -> None:
    root = write_tree(tmp_path, TREE)
    params: Message = {
        "processId": None,
        "capabilities": {},
        "locale": locale,
        "workspaceFolders": [{"uri": path_to_uri(str(root)), "name": "tree"}],
    }
    server = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(
        frame(id=1, method="initialize", params=params) + frame(method="initialized", params={})
    )
    server.stdin.flush()
    wanted = NO_FILE.get({"pt-BR": "pt-br", "es-MX": "es"}.get(locale, "en"), "")
    frames = FrameReader()
    said: set[str] = set()
    while wanted not in said:
        data = server.stdout.read1(65536)  # type: ignore[attr-defined]
        assert data, said
        for message in map(json.loads, frames.feed(data)):
            if message.get("method") == "textDocument/publishDiagnostics":
                said |= {one["message"] for one in message["params"]["diagnostics"]}
    server.stdin.write(frame(id=2, method="shutdown") + frame(method="exit"))
    server.stdin.close()
    server.stdout.read()
    server.stdout.close()
    assert server.wait(60) == 0


async def test_the_example_of_the_page_is_what_is_told(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs/editors.md").read_text("utf-8")
    example = page.partition("## Languages")[2].split("```text\n")[1].partition("```")[0]
    said = dict(re.split(r" {2,}", line, maxsplit=1) for line in example.splitlines())
    manifest = ".synapse/manifest"
    root = write_tree(tmp_path, {manifest: "TESTING_STATE=active\nTESTING_RECALL=unit test\n"})
    for locale, sentence in said.items():
        async with connected(root, locale=locale) as wire:
            await wire.settled()
            found = wire.diagnostics(path_to_uri(str(root / manifest)))
        assert sentence in [one["message"] for one in found]
    assert set(said) == {"en", "pt-BR", "es"}


def test_english_loads_no_catalogue() -> None:
    code = (
        "import sys; from synapse_ls.lsp.language_server import Server; Server();"
        "assert 'synapse_ls.lsp.sentence_translation' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
