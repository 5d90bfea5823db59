"""What is offered for a key or a word that is there in part: nothing is written twice."""

from __future__ import annotations

import pytest

from tests.ide.test_completion import MANIFEST, At, team
from tests.ide.views import STATE

SQUAD = "squads/etl-squad/squad.yaml"
TASK = ".aiox-core/development/tasks/build.md"


@pytest.mark.parametrize(
    ("typed", "keys"),
    [
        ("NEW_", ["NEW_STATE", "NEW_RECALL", "NEW_AGENT_TRIGGER"]),
        ("NEW_S", ["NEW_STATE"]),
        ("NEW_REC", ["NEW_RECALL"]),
        ("new_", ["NEW_STATE", "NEW_EXCLUDE"]),
        ("CODE_REVIEW", ["CODE_REVIEW_STATE", "CODE_REVIEW_RECALL"]),
        ("CODE_REVIEW_AGENT_TR", ["CODE_REVIEW_AGENT_TRIGGER"]),
    ],
)
def test_a_domain_that_nobody_has_yet_is_offered_its_settings(typed: str, keys: list[str]) -> None:
    at = At(MANIFEST, team(f"«{typed}»"))
    assert {*keys} <= {*at.labels}
    assert f"\n{keys[0]}=" in at.written(keys[0])
    assert at.offer is not None
    assert not at.offer.is_complete


@pytest.mark.parametrize("typed", ["GLOBAL_STATE", "9_", "SESSIONS_", "A__B"])
def test_nothing_new_is_made_of_what_is_there_or_could_have_no_file(typed: str) -> None:
    assert {*At(MANIFEST, team(f"«{typed}»")).labels} <= {*At(MANIFEST, team("«»")).labels}


@pytest.mark.parametrize(
    ("path", "line", "field"),
    [
        (SQUAD, "«ver»: 1.2.0", "version"),
        (SQUAD, "«comp»:", "components"),
        (".aiox/b-state.yaml", "«stat» : active", "status"),
        (TASK, "---\n«respons»: x\n---", "responsavel"),
        (".synapse/config.toml", '«prof» = "synapse"', "profile"),
        (".synapse/tests/a.toml", '[[case]]\n«ag» = "dev"', "agent"),
    ],
)
def test_a_field_that_has_its_value_gets_no_second_sign(path: str, line: str, field: str) -> None:
    at = At(path, line)
    assert at.written(field) == line.partition("«")[0] + field + line.partition("»")[2]


def test_a_half_typed_phase_is_not_a_phase_of_the_workflow() -> None:
    at = At(".aiox/a-state.yaml", STATE.replace("phase: qa_review", "phase: «qa_r»"))
    assert "qa_r" not in at.labels
    assert "in_development" in at.labels
