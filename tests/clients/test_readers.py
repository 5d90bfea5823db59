"""The readers of transcripts, on what the clients have just written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from synapse_ls.integrations import transcript_formats
from synapse_ls.integrations.transcript_tail import ON_BRANCH
from synapse_ls.integrations.transcript_turns import Turn
from synapse_ls.text.digest import hash_text
from synapse_ls.text.lazy_import import load_module
from tests.clients.client import Client
from tests.clients.codex import WINDOW
from tests.clients.conftest import FIRST, FOURTH, SECOND, THIRD, USAGES, Session
from tests.clients.model import SAYING


@pytest.fixture(autouse=True)
def transcribed(session: Session) -> None:
    if not session.client.has_transcript:
        pytest.skip(f"{session.client.name} writes no transcript")


def tail(client: Client) -> Any:
    """What the hook reads the end of a transcript with."""
    return load_module(f"synapse_ls.integrations.{client.name}.transcript")


def turns(transcript: Path) -> list[Turn]:
    """The whole of a transcript, read by what recognises it."""
    data = transcript.read_bytes()
    reader = transcript_formats.find_reader(data[: transcript_formats.HEAD_BYTES])
    assert reader is not None
    return list(reader.read_turns(data.splitlines()))


def test_the_tokens_in_use_are_those_that_the_model_counted(session: Session) -> None:
    reader = tail(session.client)
    assert reader.read_usage(str(session.transcript))["used"] == USAGES[2].sent
    assert reader.read_usage(str(session.later))["used"] == USAGES[3].sent


def test_the_window_is_the_one_that_the_client_works_with(session: Session) -> None:
    window = tail(session.client).read_usage(str(session.transcript))["window"]
    if session.client.name == "codex":
        assert 0.9 * WINDOW <= window <= WINDOW, "it keeps some of it back"
    else:
        assert window >= 64_000


def test_the_transcript_shows_that_the_block_arrived(session: Session) -> None:
    reader, transcript = tail(session.client), str(session.transcript)
    shown = hash_text(session.first.told), hash_text(session.switched.told)
    branch = reader.read_branch(transcript, {*shown, hash_text("never told")})
    assert [(text[0], text[2]) for text in branch.texts] == [
        (identity, ON_BRANCH) for identity in reversed(shown)
    ]


def test_each_turn_is_read_as_it_was(session: Session) -> None:
    read = turns(session.transcript)
    assert [turn.prompt for turn in read] == [FIRST, SECOND, THIRD]
    assert [turn.used for turn in read] == [usage.sent for usage in USAGES[:3]]
    assert [turn.reply for turn in read] == [SAYING] * 3
    assert [turn.injected for turn in read] == [(session.first.told,), (), (session.switched.told,)]
    assert not any(turn.compacted for turn in read)


def test_a_file_that_the_model_read_is_part_of_its_turn(session: Session) -> None:
    _, reading, _ = turns(session.transcript)
    if session.client.name != "codex":  # it reads files with shell commands only
        assert [Path(file).name for file in reading.files] == ["docs"]
    assert not reading.edited


def test_an_emptied_window_shows_in_the_transcript(session: Session) -> None:
    read = turns(session.later)
    since = read[3:] if session.client.compacts else read
    assert since[-1].prompt == FOURTH
    assert since[-1].used == USAGES[3].sent
    assert session.renewed.told in [text for turn in since for text in turn.injected]
    assert any(turn.compacted for turn in since) == session.client.compacts
