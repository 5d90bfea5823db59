from __future__ import annotations

from tests.cli.conftest import Synapse


def test_the_settings_register_every_event(synapse: Synapse) -> None:
    done = synapse("hook", "--print-settings")
    assert (done.code, done.err) == (0, "")
    assert list(done.json["hooks"]) == ["UserPromptSubmit", "SessionStart", "PreCompact"]


def test_a_client_nobody_knows_is_an_error(synapse: Synapse) -> None:
    done = synapse("hook", "--print-settings", "--client", "nobody")
    assert (done.code, done.out) == (2, "")


def test_a_person_gets_help_and_standard_output_stays_empty(synapse: Synapse) -> None:
    done = synapse("hook")
    assert (done.code, done.out) == (0, "")
    assert "\nExamples:\n" in done.err
