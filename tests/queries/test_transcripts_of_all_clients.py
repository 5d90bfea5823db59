"""`read_history` of the transcripts of seven clients: messages, or what was expected instead."""

from __future__ import annotations

from pathlib import Path

import pytest

from synapse_ls.integrations.transcript_formats import READERS
from synapse_ls.queries.history_compaction import read_history
from synapse_ls.text.user_error import UserError
from tests.queries.recorded_sessions import CLIENTS, RecordedSession

WHOLE = [reader.client for reader in READERS if reader.read_messages is not None]


@pytest.mark.parametrize("client", CLIENTS)
def test_a_transcript_is_read_or_it_is_said_why_not(
    client: type[RecordedSession], tmp_path: Path
) -> None:
    session = client(tmp_path)
    session.asks("Fix the refund")
    session.runs("make test")
    session.asks("Go on")
    path = session.save(tmp_path / "session.jsonl")
    with path.open("rb") as stream:
        if client.__name__.lower() in WHOLE:
            history = read_history(stream, "session.jsonl")
            assert [m.text for m in history.messages if m.is_prompt] == ["Fix the refund", "Go on"]
        else:
            with pytest.raises(UserError, match="has no whole messages") as caught:
                read_history(stream, "session.jsonl")
            assert "Claude Code, Codex or Gemini CLI" in str(caught.value.remedy)
