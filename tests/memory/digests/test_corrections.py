"""What a person corrected."""

from __future__ import annotations

import pytest

from synapse_ls.memory.session_digest import find_corrections, is_lasting, is_momentary


@pytest.mark.parametrize(
    "prompt",
    [
        "No, that's wrong. Use the adapter.",
        "Actually, the endpoint is /v2.",
        "actually the table is called refunds",
        "Don't touch the migrations.",
        "Never commit to main directly.",
        "Stop adding comments to every line.",
        "That's not what I asked for.",
        "I said the tests come first.",
        "From now on, run the linter before you answer.",
        "Please use pnpm instead of npm.",
        "use tabs, not spaces",
        "You forgot the changelog again.",
        "Remember that the API is versioned.",
        "@dev No — the port is 5433.",
        "Not like that, keep the signature.",
        "You should have asked first.",
        "Always ask before you add a package.",
        "Não, use o adaptador.",
        "Assim não, mantenha a assinatura.",
        "De agora em diante, responda em português.",
        "Sempre pergunte antes de instalar um pacote.",
        "Na verdade, a tabela se chama estornos.",
        "Isso está errado, o prazo é de 30 dias.",
        "Nunca faça commit direto na main.",
        "Não use npm aqui.",
        "Eu já disse que os testes vêm primeiro.",
        "A partir de agora, rode o lint antes de responder.",
        "Use pnpm em vez de npm.",
        "Lembre-se de que a API é versionada.",
        "Você esqueceu o changelog.",
    ],
)
def test_a_correction_is_noticed(prompt: str) -> None:
    assert find_corrections(prompt)


@pytest.mark.parametrize(
    "prompt",
    [
        "No problem, go on.",
        "No, that's fine.",
        "no",
        "No thanks.",
        "No worries about the tests.",
        "Add a refund endpoint.",
        "Why don't you use the adapter?",
        "Is it not used anywhere?",
        "Never mind.",
        "Don't worry about it.",
        "What does not work?",
        "Know what? Go on.",
        "The note says: note the difference",
        "Actually this looks great, thanks.",
        "Do not worry about it.",
        "Na verdade ficou ótimo, obrigado.",
        "Sempre dá erro quando rodo os testes.",
        "Não precisa.",
        "Não, obrigado.",
        "Tudo certo, não tem problema.",
        "Por que não usa o adaptador?",
        "Continue.",
        "```\nNo, that's wrong.\n```\nWhat does this text mean?",
        "> Actually, no.\n\nWho said that?",
        "<log>\nNo, that's wrong.\n</log>\nExplain.",
    ],
)
def test_what_only_looks_like_a_correction_is_none(prompt: str) -> None:
    assert find_corrections(prompt) == []


def test_a_correction_is_kept_in_the_words_of_the_person() -> None:
    assert find_corrections("Thanks. No, use the *adapter*, it knows the fees. Then go on.") == [
        "No, use the *adapter*, it knows the fees."
    ]


def test_a_short_no_goes_on_with_what_is_right() -> None:
    for no in ("No, that's wrong.", "That's not what I asked for.", "Não, está errado."):
        assert find_corrections(f"{no} The port is 5433. Go on.") == [f"{no} The port is 5433."]


def test_what_is_meant_for_always_is_lasting() -> None:
    assert is_lasting("Never commit to main directly.")
    assert is_lasting("Use pnpm em vez de npm.")
    assert is_lasting("A partir de agora, responda em português.")
    assert is_lasting("De agora em diante use o adaptador.")
    assert not is_lasting("Actually, the endpoint is /v2.")
    assert not is_lasting("Don't deploy it yet.")
    assert is_momentary("Não faça o deploy agora.")
