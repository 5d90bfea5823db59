"""Choosing a profile."""

from __future__ import annotations

import pytest

from synapse_ls.edits.config_edits import LIVE_PROFILE, choose_profile
from synapse_ls.text.user_error import UserError
from tests.trees import TEAM, tree_of

CONFIG = ".synapse/config.toml"


def after(text: str) -> str:
    (change,) = choose_profile(tree_of({**TEAM, CONFIG: text}), LIVE_PROFILE).edits
    return change.after


def test_a_tree_without_configuration_gets_one() -> None:
    (change,) = choose_profile(tree_of(TEAM), LIVE_PROFILE).edits
    assert (change.path, change.action) == (CONFIG, "create")
    assert change.after == 'profile = "synapse-live"\n'


def test_all_else_in_the_configuration_stays() -> None:
    assert after("[usage]\nmax_context = 1\n") == (
        'profile = "synapse-live"\n[usage]\nmax_context = 1\n'
    )
    assert after("profile = 'synapse' # mine\n") == 'profile = "synapse-live" # mine\n'


def test_line_breaks_stay() -> None:
    assert after("[usage]\r\nmax_context = 1\r\n").startswith('profile = "synapse-live"\r\n[')


def test_a_profile_that_is_chosen_needs_no_change() -> None:
    assert not choose_profile(tree_of({**TEAM, CONFIG: 'profile = "synapse-live"\n'}), LIVE_PROFILE)


def test_a_configuration_that_cannot_be_read_is_left_alone() -> None:
    with pytest.raises(UserError, match=r"cannot be read"):
        after("profile = [\n")


def test_an_unknown_profile_is_refused() -> None:
    with pytest.raises(UserError, match=r"Choose one of synapse, synapse-live"):
        choose_profile(tree_of(TEAM), "dream")
