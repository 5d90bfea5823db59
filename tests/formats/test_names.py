from __future__ import annotations

import pytest

from synapse_ls.formats.name_normalization import fold_case, normalize_agent_id, to_slug


def test_accents_and_case_are_folded() -> None:
    assert fold_case("Critérios de ACEITAÇÃO") == "criterios de aceitacao"


def test_a_slug_holds_words_only() -> None:
    assert to_slug("✅ Critérios_de-aceite: (v2)!") == "criterios de aceite v2"


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("po", "po"),
        ("@po", "po"),
        ('"@data-engineer"', "data-engineer"),
        ("analyst/pm", "analyst"),
        ("core:dev", "dev"),
        ("squad:@etl-agent", "etl-agent"),
        ("@dev (Dex)", "dev"),
        ("DEV", "dev"),
        ("various", ""),
        ("N/A", ""),
        ("${story.executor}", ""),
        ("", ""),
    ],
)
def test_an_agent_is_named_in_many_ways(raw: str, expected: str) -> None:
    assert normalize_agent_id(raw) == expected
