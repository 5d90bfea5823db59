"""Tokens of known shapes are found; what a person would take for an example is not."""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.text.secret_masking import find_secrets, mask_secrets
from tests.text.secret_lists import TERMINAL_SEQUENCES, UNSEEN_CHARACTERS, draw, make_secrets

RANDOM = "R7kQ2mZx9LwT4vB8nYc3JhF6sDgPa1EuK5XoHqWtNiVbMzCyGrUeLpJdSfAx0Tn4"
UPPER = "Z3QKDRTWNV5H7PXUYGBM"
HEX = "9f8e7d6c5b4a39281706f5e4d3c2b1a0918273645546372819a0b1c2d3e4f5f7"

# In two pieces, so that no scanner takes this file for one with secrets.
TOKENS = {
    "AWS access key": ("AK", f"IA{UPPER[:16]}"),
    "GitHub token": ("gh", f"p_{RANDOM[:36]}"),
    "GitLab token": ("glp", f"at-{RANDOM[:20]}"),
    "Slack token": ("xo", f"xb-2839471650-9182736450-{RANDOM[:24]}"),
    "Slack webhook": ("hooks.slack.com/serv", f"ices/T{UPPER[:8]}/B{UPPER[8:16]}/{RANDOM[:24]}"),
    "Anthropic key": ("sk-a", f"nt-api03-{RANDOM}{RANDOM[:30]}"),
    "OpenAI key": ("sk-p", f"roj-{RANDOM}"),
    "Google API key": ("AI", f"za{RANDOM[:35]}"),
    "Stripe key": ("sk_l", f"ive_{RANDOM[:24]}"),
    "npm token": ("np", f"m_{RANDOM[:36]}"),
    "PyPI token": ("pypi-AgEI", f"cHlwaS5vcmc{RANDOM}"),
    "SendGrid key": ("S", f"G.{RANDOM[:22]}.{RANDOM[:43]}"),
    "DigitalOcean token": ("do", f"p_v1_{HEX}"),
    "JSON web token": ("ey", f"J{RANDOM[:30]}.eyJ{RANDOM[:40]}.{RANDOM[:43]}"),
}


@pytest.mark.parametrize("what", TOKENS)
def test_a_token_is_found_where_it_is(what: str) -> None:
    token = "".join(TOKENS[what])
    text = f"DEPLOY_RULE_0=Use {token}, always.\n"
    (found,) = find_secrets(text)
    assert (found.kind, found.span.cut(text)) == (what, token)


def test_a_private_key_is_found_at_its_first_line() -> None:
    head = "-----BEGIN OPENSSH PRIV" + "ATE KEY-----"
    (found,) = find_secrets(f"{head}\n{RANDOM}{RANDOM}\n")
    assert (found.kind, found.span.length) == ("private key", len(head))


@pytest.mark.parametrize(
    "text",
    [
        "AKIAIOSFODNN7EXAMPLE",
        "ghp_" + "x" * 36,
        "ghp_1234567890abcdefghijABCDEFGHIJ123456",
        "sk-proj-your-key-here",
        "glpat-<your token here>",
        "-----BEGIN RSA PRIVATE KEY-----",
        "Never commit a `-----BEGIN PRIVATE KEY-----` block.",
        f"commit {HEX[:40]}",
        f"sha256:{HEX}",
        "https://example.com/a/" + RANDOM,
    ],
)
def test_an_example_is_no_secret(text: str) -> None:
    assert list(find_secrets(text)) == []


PASSWORD = RANDOM[:12]
NAMED = {
    "AWS secret key": ("AWS_SECRET_ACC", f"ESS_KEY={RANDOM[:40]}", RANDOM[:40]),
    "bearer token": ("Authorization: Bea", f"rer {RANDOM[:40]}", RANDOM[:40]),
    "password": ("postgres://app:", f"{PASSWORD}@db.internal/orders", PASSWORD),
}


@pytest.mark.parametrize("what", NAMED)
def test_a_name_in_front_of_it_makes_a_secret(what: str) -> None:
    *pieces, secret = NAMED[what]
    text = f"DEPLOY_RULE_0=Use `{''.join(pieces)}`, always.\n"
    (found,) = find_secrets(text)
    assert (found.kind, found.span.cut(text)) == (what, secret)


@pytest.mark.parametrize(
    "said",
    [
        "DB_PASSWORD={}",
        "password: {}, as ever",
        '{{"password": "{}"}}',
        "my password is {}.",
        "A minha senha é {}",
        "mysql --password={} app",
        'password = r"{}"',
        "password=f'{}'",
        "password=$'{}'",
        "password: &main {}",
        "password: \x1b[32m'{}'\x1b[39m",
    ],
)
def test_what_is_called_a_password_is_one(said: str) -> None:
    text = said.format(PASSWORD)
    (found,) = find_secrets(text)
    assert (found.kind, found.span.cut(text)) == ("password", PASSWORD)


def test_a_token_of_a_known_shape_is_one_secret_whatever_stands_before_it() -> None:
    (found,) = find_secrets("Authorization: Bearer " + "".join(TOKENS["JSON web token"]))
    assert found.kind == "JSON web token"


@pytest.mark.parametrize(
    "text",
    [
        "postgres://user:password@host/db",
        "postgres://app:${DB_PASSWORD}@host/db",
        "postgres://app:<password>@host/db",
        f"postgres://app:{PASSWORD}@localhost:5432/db",
        f"https://u1:{PASSWORD}@db.example.com",
        "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "AWS_SECRET_ACCESS_KEY=$(pass aws)",
        "Authorization: Bearer $TOKEN",
        "Authorization: Bearer <your token of at least forty characters>",
        "The password is base64-encoded, and passwords: bcrypt with 12 rounds",
        "password: Argon2-hashed",
        "Password: at least 8 characters",
        "DB_PASSWORD=${DB_PASSWORD2}",
        "password=changeme1",
        "Never write a password in code: 12Factor",
        "git@github.com:team/repo.git and ssh://git@host:22/a@b1",
    ],
)
def test_a_variable_or_an_example_behind_a_name_is_no_secret(text: str) -> None:
    assert list(find_secrets(text)) == []


GUID = "7c1e04d9-58b2-4f3a-9e61-d02c8a7b35f4"


@pytest.mark.parametrize(
    "text",
    [
        f"Integration key: {GUID}. The private key is on the server.",
        f"DOCUSIGN_INTEGRATION_KEY={GUID}",
        f"integratorKey: {GUID}",
        f"Client id: {GUID}",
        "Publishable key: pk_q_9Rk2Vt7XwB4mZ8nLc1YfHs",
        "site key = 6LcQ9Rk2Vt7XwB4mZ8nLc1YfHs",
    ],
)
def test_what_is_public_by_nature_is_no_secret(text: str) -> None:
    assert list(find_secrets(text)) == []


@pytest.mark.parametrize(
    "text",
    [
        f"API key: {GUID}",
        f"integration secret: {GUID}",
        "INTEGRATION_KEY=9Rk2Vt7XwB4mZ8nLc1YfHsQ3d",
    ],
)
def test_what_only_sounds_like_something_public_is_a_secret(text: str) -> None:
    assert len(list(find_secrets(text))) == 1


@pytest.mark.parametrize("hidden", (*TERMINAL_SEQUENCES, *UNSEEN_CHARACTERS))
def test_characters_that_nobody_sees_hide_no_secret(hidden: str) -> None:
    key = f"AK{hidden}IA{draw(16, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')}"
    said = mask_secrets(f"Use {key} here{hidden}.")
    assert key[-8:] not in said and said.endswith(f" here{hidden}.")
    (found,) = find_secrets(f"Use {key} here{hidden}.")
    assert found.span == (4, 4 + len(key))


@pytest.mark.parametrize("hidden", (*TERMINAL_SEQUENCES, *UNSEEN_CHARACTERS))
def test_nor_does_a_sequence_that_a_terminal_obeys_around_or_in_a_secret(hidden: str) -> None:
    kept = []
    for name, (text, secret) in make_secrets().items():
        before, _, after = text.partition(secret)
        half = len(secret) // 2
        if len(secret) < 16 or "\n" in text or not before + after < text:
            continue
        for colored in (
            hidden + secret,
            f"{hidden}{secret}{hidden}",
            secret[:half] + hidden + secret[half:],
        ):
            masked = mask_secrets(before + colored + after)
            if secret[-8:] in masked or secret[half - 8 : half] in masked:
                kept.append(name)
    assert kept == []


def test_nor_does_what_a_terminal_takes_for_a_link_or_a_title() -> None:
    token = f"gh{'p_'}{RANDOM[:36]}"
    for text in (
        f"\x1b]8;;https://{token}@x.example\x1b\\here",
        f"\x1b]0;{token}\x07",
        f"\x9d{token}\x9c",
    ):
        assert RANDOM[26:36] not in mask_secrets(text)
        assert [text[slice(*secret.span)] for secret in find_secrets(text)] == [token]
    assert mask_secrets("\x1b]0;the title\x07 and \x1b[1mbold\x1b(B\x1b[m") == (
        "\x1b]0;the title\x07 and \x1b[1mbold\x1b(B\x1b[m"
    )


def test_what_is_public_is_so_in_colours() -> None:
    for text in (
        "commit 9f8e7d6c5b4a39281706f5e4d3c2b1a091827364",
        "sha256:" + HEX,
        f"request {GUID}",
    ):
        for start, end in (
            ("\x1b[1m", "\x1b(B\x1b[m"),
            ("\x1b]8;;https://a.example\x07", "\x1b]8;;\x07"),
        ):
            said = start + text + end
            assert mask_secrets(said) == said


def test_a_short_key_may_have_few_different_characters() -> None:
    assert "QTI3QICD" not in mask_secrets(f"Use AK{'IA'}GQD7HGT7QTI3QICD here.")


@pytest.mark.parametrize("filling", ["123456", "abcdefghijklmnopqrstuvwxyz", "11111", "token"])
def test_what_examples_have_hides_no_secret_that_has_more(filling: str) -> None:
    token = f"gh{'p'}_{filling}{draw(40)}"
    assert token[-12:] not in mask_secrets(f"Use {token} here.")


@pytest.mark.parametrize(
    "password", ["hunter2secret99", "example-of-mine1", "%40dmin77x", "my-token-1", "hunter2"]
)
def test_the_password_of_an_address_is_masked_whatever_it_looks_like(password: str) -> None:
    command = f"git push --force https://bob:{password}@github.com/a/b main"
    assert password not in mask_secrets(command)


@pytest.mark.parametrize("filled_in", ["$TOKEN", "${TOKEN}", "{password}", "%s", "%PASS%", "[pw]"])
def test_what_a_program_puts_in_an_address_is_no_password(filled_in: str) -> None:
    address = f"https://bob:{filled_in}@github.com/a/b"
    assert mask_secrets(address) == address


def test_the_password_of_a_database_client_is_masked() -> None:
    password = draw(14)
    assert password not in mask_secrets(f"mysql -u root -h db.internal -p{password} shop")
    assert mask_secrets("mysql -h db -p shop") == "mysql -h db -p shop"
    assert mask_secrets("mysql -production_data -e 'select 1'").startswith("mysql -production_data")


@given(st.text("aZ09_.-/:=@ \n", max_size=120))
def test_any_text_can_be_masked(text: str) -> None:
    assert len(mask_secrets(text)) == len(text)


def test_a_name_of_parts_alone_stays_as_it_is() -> None:
    for text in (
        "module.with_many.parts_in.its_name_",
        "see a_long.attribute_of.some_object. Then",
    ):
        assert mask_secrets(text) == text


def test_what_an_encoded_text_spells_by_chance_is_no_name() -> None:
    text = (
        "resolution: {integrity: sha512-z+PwLziMNBeSQJonizz2AGnndLsP2DeGHIxDAn+wdHOGuo4Fo1x1HBPPXe"
        "E9TAOPHNNWQKCSlA2VZyYyyibDnQ==}"
    )
    assert mask_secrets(text) == text


def test_a_token_that_is_longer_than_its_issuers_are_leaves_no_part() -> None:
    masked = mask_secrets(f"Use sk_live_{RANDOM[:24]}-_{RANDOM[:20]} here.")
    assert masked.strip("•") == "Use " + "•" * 54 + " here."


@pytest.mark.parametrize(
    "text",
    [
        "ACME_CREDENTIALS={}",
        '<add key="ApiSecret" value="{}" />',
        "the API key provided: {}",
        'curl -H "X-Acme-Auth: {}" https://api.acme.io',
        "here is the secret for staging: {}",
    ],
)
def test_a_random_value_of_letters_alone_is_masked_beside_a_word_that_says_secret(
    text: str,
) -> None:
    assert mask_secrets(text.format("kTqzVwXpRjMnbQLhGfdS")) == text.format("•" * 20)


@pytest.mark.parametrize(
    "text",
    [
        "cache key {}",
        "token refreshed at commit {}",
        "auth service image sha256:{}",
        "authored by {}",
    ],
)
def test_a_hash_beside_such_a_word_stays(text: str) -> None:
    assert mask_secrets(text.format(HEX[:40])) == text.format(HEX[:40])


@pytest.mark.parametrize(
    "repeated",
    ["key=", "Key=", "token=", "secret:", "a=key=", "api_key\n", "key|\r\n", "password="],
)
def test_names_of_secrets_in_each_other_are_masked_in_little_time(repeated: str) -> None:
    begun = process_time()
    mask_secrets(repeated * (20_000 // len(repeated)))
    assert process_time() - begun < 3


def test_many_names_in_front_of_a_secret_do_not_hide_it() -> None:
    secret = "x7Kq2mVd9RtYw4Zs8NbJ3hLc6PfGa1Qe5TuU"
    assert secret[:8] not in mask_secrets(f"{'key=' * 60}{secret}")
