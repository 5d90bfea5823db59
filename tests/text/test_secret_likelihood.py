"""Characters drawn at random are told from words, whatever alphabet they are of."""

from __future__ import annotations

import random
import string

import pytest

from synapse_ls.text.secret_likelihood import has_all_kinds, may_be_secret, randomness

ALPHABETS = {
    "letters": string.ascii_letters,
    "small letters": string.ascii_lowercase,
    "capitals": string.ascii_uppercase,
    "letters and digits": string.ascii_letters + string.digits,
    "hexadecimal": "0123456789abcdef",
    "base 32": string.ascii_uppercase + "234567",
    "base 64": string.ascii_letters + string.digits + "+/",
}
WORDS = [
    "test_token_refresh_rotates_secret_after_expiry",
    "getAccessTokenSilently",
    "workbench.action.files.save",
    "PassphraseDialogViewController",
    "REGION_SOUTHAMERICA_EAST1",
    "autenticação-de-usuários",
]


@pytest.mark.parametrize("alphabet", ALPHABETS)
def test_what_is_drawn_at_random_is_random(alphabet: str) -> None:
    chance = random.Random(alphabet)
    texts = ["".join(chance.choices(ALPHABETS[alphabet], k=32)) for _ in range(200)]
    assert sum(randomness(text) >= 3 for text in texts) >= 190
    assert sum(map(may_be_secret, texts)) >= 190


@pytest.mark.parametrize("word", WORDS)
def test_words_are_not(word: str) -> None:
    assert randomness(word) < 0
    assert not may_be_secret(word)


def test_a_path_has_to_be_more_random_than_a_name() -> None:
    assert not may_be_secret("prod/db-4AgqV9")


def test_small_letters_capitals_and_digits_are_all_kinds() -> None:
    assert has_all_kinds("Kirsche-1499")
    assert not has_all_kinds("sha256-hashed")
