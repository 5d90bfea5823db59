"""Secrets are looked for in linear time: a text that would take a cubic one hours."""

from __future__ import annotations

import time

import pytest

from synapse_ls.text.secret_masking import find_secrets, mask_beginning, mask_secrets

pytestmark = pytest.mark.slow
PARTS = (
    "key=", "token=", "secret:", "a.key=", "password ", "password is ", "--password ", "<key>",
    "key: \n", "key\n", "key | ", 'key="', "key(", '"key":"a",', "://a:", "pass the key ", "a1-",
)  # fmt: skip


@pytest.mark.parametrize("part", PARTS)
def test_a_text_of_nothing_but_names_is_masked_in_linear_time(part: str) -> None:
    text = part * (50_000 // len(part))
    started = time.process_time()
    mask_secrets(text)
    list(find_secrets(text))
    assert time.process_time() - started < 20


def test_what_follows_many_names_is_masked_all_the_same() -> None:
    secret = "R7kQ2mZx9LwT4vB8nYc3JhF6sDg"
    assert secret not in mask_secrets("key=" * 2_000 + f" password={secret}")
    assert secret not in mask_secrets("key: \n" * 2_000 + f"password: {secret}")
    assert secret not in mask_secrets("token\n" * 2_000 + f"password\n{secret}")


def test_of_a_secret_that_is_cut_nothing_is_left() -> None:
    token = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vX7zA9bC2dF4gH6"
    assert mask_beginning(f"say {token}", 14) == "say " + "•" * 10
