"""Texts follow the client exactly, and the index follows the texts."""

from __future__ import annotations

from os.path import normpath
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from synapse_ls.lsp.convert import TextMap, chosen_encoding, path_to_uri, uri_to_path, with_slashes
from synapse_ls.text.span import Span
from tests.lsp.random_typing import MANIFEST, RULES, Typing, typing_capabilities
from tests.lsp.wire import Wire, connected, edit
from tests.trees import TEAM, write_tree

ENCODINGS = ("utf-16", "utf-8", "utf-32")
texts = st.text(st.sampled_from("ab\n\r\u2028\x85é中😀\U0010ffff"), max_size=40)


async def type_at_random(typing: Typing, edits: int) -> None:
    """Type into a file of a tree; whatever the server has of it is right now and then, and on the way."""
    for _ in range(10):
        at_rest = await typing.ask_findings()
        typing.edit()
        assert not await typing.differences_on_the_way(at_rest)
        await typing.burst(edits // 10 - 1)
        assert not await typing.differences_at_rest()


@pytest.mark.parametrize(
    ("path", "encoding", "edits"),
    [
        *((MANIFEST, encoding, 1_000) for encoding in ENCODINGS),
        (RULES, "utf-16", 1_000),
        pytest.param(MANIFEST, "utf-16", 5_000, marks=pytest.mark.slow),
        pytest.param(RULES, "utf-16", 5_000, marks=pytest.mark.slow),
    ],
)
async def test_random_edits_leave_the_right_text_and_index(
    path: str, encoding: str, edits: int, tmp_path: Path
) -> None:
    """pygls 2.1 gets most of these wrong: other line breaks, ranges beyond the last line."""
    root = write_tree(tmp_path / "team", TEAM)
    async with connected(root, capabilities=typing_capabilities(encoding)) as wire:
        await type_at_random(Typing(wire, root, path, encoding, seed=edits), edits)


async def test_the_changes_of_one_notification_apply_one_after_the_other() -> None:
    async with connected() as wire:
        wire.open("file:///x", "ab")
        wire.change("file:///x", 2, edit((0, 0), (0, 0), "1\n"), edit((1, 0), (1, 1), "2"))
        await wire.settled()
        assert wire.text("file:///x") == "1\n2b"


async def test_a_change_without_a_version_is_a_change(caplog: pytest.LogCaptureFixture) -> None:
    async with connected() as wire:
        wire.open("file:///a", "one")
        wire.notify(
            "textDocument/didChange",
            {"textDocument": {"uri": "file:///a"}, "contentChanges": [{"text": "two"}]},
        )
        await wire.settled()
        assert wire.text("file:///a") == "two"
        assert not wire.server.errors.counts and not caplog.records


async def test_a_range_that_is_the_wrong_way_round_is_put_right() -> None:
    async with connected() as wire:
        wire.open("file:///x", "abc")
        wire.change("file:///x", 2, edit((0, 2), (0, 1), "X"))
        await wire.settled()
        assert wire.text("file:///x") == "aXc"


async def test_halves_of_surrogate_pairs_become_replacement_characters() -> None:
    """JSON can carry them, no file can hold them, and every hash of the text would fail."""
    async with connected() as wire:
        wire.open("file:///x", "a\ud83d")
        wire.change("file:///x", 2, edit((0, 2), (0, 2), "\ude00b"))
        await wire.settled()
        assert wire.text("file:///x") == "a\ufffd\ufffdb"


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [
        (["utf-8", "utf-16"], "utf-8"),
        (["utf-32", "utf-16"], "utf-32"),
        (["utf-7", "utf-16"], "utf-16"),
        (["utf-7"], "utf-16"),
        (None, "utf-16"),
    ],
)
async def test_the_clients_favourite_encoding_is_taken(
    offered: list[str] | None, chosen: str
) -> None:
    wire = Wire()
    general = {"positionEncodings": offered} if offered else {}
    capabilities = await wire.initialize(capabilities={"general": general})
    assert capabilities["positionEncoding"] == chosen
    assert chosen_encoding(wire.server.client_capabilities) == chosen


@given(texts, st.sampled_from(ENCODINGS), st.data())
def test_a_position_leads_back_to_its_offset(text: str, encoding: str, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, len(text)))
    map_ = TextMap(text, encoding)
    back = map_.offset(map_.position(offset))
    # Between a return and its line feed there is no position: the place before both is the nearest.
    inside_break = text[offset - 1 : offset + 1] == "\r\n"
    assert back == (offset - 1 if inside_break else offset)


@given(texts, st.sampled_from(ENCODINGS), st.integers(0, 9), st.integers(0, 50))
def test_every_position_is_inside_the_text(
    text: str, encoding: str, line: int, character: int
) -> None:
    offset = TextMap(text, encoding).offset(types.Position(line, character))
    assert 0 <= offset <= len(text)


def test_a_position_inside_an_astral_character_goes_to_its_beginning() -> None:
    assert TextMap("a😀b", "utf-16").offset(types.Position(0, 2)) == 1
    assert TextMap("a😀b", "utf-8").offset(types.Position(0, 3)) == 1


def test_columns_count_in_the_agreed_unit() -> None:
    ends = [TextMap("é😀", encoding).range(Span(0, 2)).end.character for encoding in ENCODINGS]
    assert ends == [3, 6, 2]


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20))
def test_a_path_survives_its_uri(name: str) -> None:
    uri = path_to_uri(f"/tree/{name}")
    assert uri.isascii()
    assert uri_to_path(uri) == with_slashes(normpath(f"/tree/{name}"))


@pytest.mark.parametrize("uri", ["untitled:Untitled-1", "http://x/y", "file://", "file://[", "%"])
def test_what_names_no_file_has_no_path(uri: str) -> None:
    assert uri_to_path(uri) is None


def test_a_share_keeps_its_server() -> None:
    assert uri_to_path("file://server/share/x") == "//server/share/x"
    assert path_to_uri("//server/share/x") == "file://server/share/x"
