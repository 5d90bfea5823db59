"""Context windows by model."""

from __future__ import annotations

import pytest

from synapse_ls.integrations.model_windows import (
    configured_window,
    is_same_model,
    model_window,
    raise_window,
)


@pytest.mark.parametrize(
    ("model", "window"),
    [
        ("claude-sonnet-4-5-20250929", 200_000),
        ("claude-3-opus", 200_000),
        ("claude-opus-4-7", 1_000_000),
        ("Claude-Opus-4.7", 1_000_000),
        ("anthropic/claude-sonnet-5", 1_000_000),
        ("us.anthropic.claude-fable-5-1-v1:0", 1_000_000),
        ("claude-sonnet-4-6[1m]", 1_000_000),
        ("gemini-2.5-pro", 1_048_576),
        ("models/gemini-3-flash-preview", 1_048_576),
        ("gpt-5-codex", 400_000),
        ("gpt-5.2", 400_000),
        ("gpt-5.4-2026-03-05", 1_050_000),
        ("gpt-5.5-pro", 1_050_000),
        ("gpt-5-chat-latest", 128_000),
        ("gpt-4.1-mini", 1_047_576),
        ("openai/gpt-4o", 128_000),
        ("house-model", None),
        ("", None),
    ],
)
def test_the_longest_start_of_an_id_that_is_known_counts(model: str, window: int | None) -> None:
    assert model_window(model) == window


@pytest.mark.parametrize(
    ("windows", "window"),
    [
        ({}, None),
        ({"gpt": 1}, None),
        ({"claude": 1, "claude-sonnet": 2}, 2),
        ({"claude-sonnet-4.5": 3}, 3),
        ({"us.anthropic.claude-sonnet": 4}, 4),
        ({"CLAUDE": 5}, 5),
        ({"": 6}, 6),
    ],
)
def test_the_configuration_may_give_another_window(
    windows: dict[str, int], window: int | None
) -> None:
    assert configured_window("us.anthropic.claude-sonnet-4-5", windows) == window


def test_more_in_use_than_a_window_holds_raises_it_to_the_next_of_its_maker() -> None:
    assert raise_window(200_000, 150_000, "claude-sonnet-4-5") == 200_000
    assert raise_window(200_000, 200_001, "claude-sonnet-4-5") == 1_000_000
    assert raise_window(128_000, 200_001, "gpt-4o") == 400_000
    assert raise_window(200_000, 3_000_000, "claude-sonnet-4-5") == 3_000_000


def test_ids_of_one_model_may_differ_in_their_ends() -> None:
    assert is_same_model("claude-sonnet-4-5[1m]", "claude-sonnet-4-5-20250929")
    assert is_same_model("us.anthropic.claude-opus-5", "Claude-Opus-5")
    assert not is_same_model("claude-opus-5", "claude-sonnet-5")
    assert not is_same_model("", "claude-opus-5")
