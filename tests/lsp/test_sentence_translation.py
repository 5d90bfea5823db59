"""The server's sentences in the languages of its catalogues: complete, unhurt, and of nobody's own words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.formats.yaml_tree import parse_yaml
from synapse_ls.lint import rule_pages
from synapse_ls.lint.lint_runner import lint_tree
from synapse_ls.lint.rule_registry import all_rules
from synapse_ls.lsp.sentence_translation import (
    CATALOGUES,
    LANGUAGES,
    Translator,
    choose_translation,
    read_catalogue,
)
from synapse_ls.text.finding import Finding
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_loader import load_tree
from tests.lint.clean import write
from tests.lint.mistakes import MISTAKES
from tests.lsp.sentences import (
    Literal,
    all_literals,
    has_words,
    needless_exemptions,
    read_literals,
    said_sentences,
)

REPOSITORY = Path(__file__).parents[2]

languages = pytest.mark.parametrize("language", sorted(set(LANGUAGES.values())))
_KEPT = re.compile(r"\{\d+\}|`[^`]*`")


@cache
def spanish() -> Translator:
    return Translator(read_catalogue("es"))


_SOUGHT = (
    "What a rule looks for is no sentence: it is one regular expression, or words in a tuple, a set or the keys of a "
    "dict that are only compared, searched for and quoted in backticks. A module of nothing but such words goes into NOT_SAID of tests/lsp/sentences.py."
)


def path_of(language: str) -> str:
    """The catalogue of a language, from the folder of the repository."""
    return (CATALOGUES / f"{language}.json").relative_to(REPOSITORY).as_posix()


def test_each_catalogue_has_every_sentence_and_no_other() -> None:
    """One test for all languages, since to read the code is what takes its time."""
    faults = []
    for language in sorted(set(LANGUAGES.values())):
        known = read_catalogue(language).keys()
        missing = sorted(text for text in said_sentences() if not {text, f"1 {text}"} & known)
        surplus = sorted(known - all_literals())
        faults += [f"{path_of(language)} says nothing for {text!r}" for text in missing]
        faults += [f"{path_of(language)} has what no code says any more: {t!r}" for t in surplus]
    assert not faults, "\n".join((*faults, _SOUGHT))


def test_a_catalogue_is_in_alphabetical_order() -> None:
    """So that two people who add a line do it in two places, and a sentence is found."""
    wrong = []
    for language in sorted(set(LANGUAGES.values())):
        for text, after in pairwise(read_catalogue(language)):
            if after < text:
                wrong.append(f"{path_of(language)} has {after!r} behind {text!r}")
    assert not wrong, "\n".join((*wrong, "The lines are in the order of Python's `sorted`."))


@pytest.mark.parametrize(
    "text",
    [
        "The rule is long.",
        "`{0}` points at a time that passes.",
        "{0} has no file.",
        "@{0} has it here.",
        "**{0}** comes to",
        "A {0} is here",
        " (and {0} more)",
    ],
)
def test_a_sentence_may_begin_with_anything(text: str) -> None:
    assert has_words(text)


@pytest.mark.parametrize(
    "text", ["`{0}`", "{0}", "`git push` ", "`a word`, `{0}`", "word", "- `x y`: "]
)
def test_words_in_backticks_are_no_sentence(text: str) -> None:
    assert not has_words(text)


def test_each_exemption_is_one() -> None:
    assert not needless_exemptions()


@pytest.mark.parametrize(
    "code",
    [
        'found = "next month" in text',
        'found = text.startswith("next month")',
        'found = re.search("next month", text)',
        'WORDS = ("next month",)\nfound = any(word in text for word in WORDS)',
        'WORDS = ("next month",)\nfound = re.compile("|".join(map(re.escape, WORDS)))',
        'WORDS = frozenset({"next month"})\nfound = text in WORDS',
        'WORDS = ("next month",)\nfor w in WORDS:\n    if w in text:\n        say(f"`{w}` is over.")',
        'WORDS = {"next month": "x"}\nfor w, v in WORDS.items():\n    if w in text:\n        say(f"`{w}`", v)',
        'WORDS = {"next month": "x"}\nfound = [v for w, v in WORDS.items() if w in text]',
    ],
)
def test_words_that_are_looked_for_are_no_sentence(code: str) -> None:
    assert Literal("next month", is_sought=True) in read_literals(code)


@pytest.mark.parametrize(
    "code",
    [
        'say("next month")',
        'WORDS = ("next month",)',  # who knows what another module does with them
        'WORDS = ("next month",)\nfor w in WORDS:\n    if w in text:\n        say(f"It is {w}.")',
        'WORDS = ("next month",)\nfound = text in WORDS\nsay(WORDS[0])',
        'WORDS = {"x": "next month"}\nfor w, v in WORDS.items():\n    if w in text:\n        say(v)',
        'WORDS = {"next month": "x"}\nfor w, v in WORDS.items():\n    say(w)',
        'WORDS = {"next month": "x"}\nsay(WORDS.items())',
        're.sub("x", "next month", text)',
    ],
)
def test_words_that_may_be_said_are_a_sentence(code: str) -> None:
    assert Literal("next month", is_sought=False) in read_literals(code)


def test_a_catalogue_is_there_for_each_language_and_no_other() -> None:
    assert {path.stem for path in CATALOGUES.iterdir()} == set(LANGUAGES.values())


@languages
def test_a_translation_keeps_what_is_put_in_and_what_is_code(language: str) -> None:
    for text, translation in read_catalogue(language).items():
        assert sorted(_KEPT.findall(translation)) == sorted(_KEPT.findall(text)), text
        assert (text[0], text[-1]).count(" ") == (translation[0], translation[-1]).count(" "), text


def example_findings(tmp_path: Path) -> Iterator[Finding]:
    """The findings of the examples of all pages, and of what people get wrong."""
    for rule in all_rules():
        yield from lint_tree(rule_pages._example_tree(rule_pages.rule_page(rule).bad))
    for mistake in MISTAKES:
        loaded = load_tree(str(write(tmp_path / mistake.name, mistake.broken)), LoadScope.ALL)
        yield from lint_tree(Tree(loaded.index.snapshot()), notes=loaded.notes)


def sentences_of(finding: Finding) -> Iterator[str]:
    yield from (finding.message, finding.remedy)
    yield from (place.message for place in finding.related)
    if finding.fix:
        yield finding.fix.title


def test_nothing_of_a_finding_stays_english(tmp_path: Path) -> None:
    """With a catalogue of marks, whatever is left in words was not translated."""
    marks = {text: " ¤ ".join(["¤", *_KEPT.findall(text)]) for text in read_catalogue("es")}
    translate = Translator(marks)
    left = {}
    for finding in example_findings(tmp_path):
        for sentence in filter(None, sentences_of(finding)):
            bare = re.sub(r"`[^`]*`|“[^”]*”|\"[^\"]*\"|\([^()]*\)", "", translate(sentence))
            if re.search(r"\b[a-z]{2,} [a-z]{2,}\b", bare):
                left[sentence] = bare
    assert left == {}


def test_what_somebody_has_written_stays_as_it_is() -> None:
    translate = spanish()
    assert translate("`is never` is no field of a memory, so nothing reads it.") == (
        "`is never` no es un campo de una memoria; por tanto, nada lo lee."
    )


def test_parts_of_a_sentence_are_translated_in_their_place() -> None:
    assert spanish()(
        "`the` is one of the commonest words, so TESTING is injected with prompts that do not concern it."
    ) == (
        "`the` es una de las palabras más comunes; por tanto, TESTING se inyecta con prompts que no le conciernen."
    )


def test_a_conclusion_is_translated_with_a_sentence_behind_it() -> None:
    message = parse_yaml('- "a" b\n- "a" b\n').problems[0].message
    assert message.endswith("so this YAML cannot be read. Another mistake is on line 2.")
    assert spanish()(message) == (
        "Hay texto tras las comillas de cierre; por tanto, este YAML no se puede leer. "
        "Otro error está en la línea 2."
    )


@pytest.mark.parametrize(
    ("count", "said"),
    [("1 token", "1 token"), ("1,200 rules", "1,200 reglas"), ("1 rule", "1 regla")],
)
def test_counts_have_their_plural(count: str, said: str) -> None:
    assert spanish()(count) == said


def test_a_sentence_without_a_translation_stays_english() -> None:
    assert spanish()("Nobody has ever said this.") == "Nobody has ever said this."


@given(
    st.text()
    | st.lists(st.deferred(lambda: st.sampled_from(sorted(said_sentences())))).map(" ".join)
)
def test_any_text_has_a_translation(text: str) -> None:
    assert isinstance(spanish()(text), str)


@pytest.mark.parametrize(
    ("locale", "language"),
    [
        ("pt-BR", "pt-br"),
        ("pt", "pt-br"),
        ("pt_PT", "pt-br"),
        ("es", "es"),
        ("es-419", "es"),
        ("ES", "es"),
    ],
)
def test_a_locale_has_the_catalogue_of_its_language(locale: str, language: str) -> None:
    sentence = "Delete one of the two lines."
    assert choose_translation(locale)(sentence) == read_catalogue(language)[sentence]


@pytest.mark.parametrize("locale", [None, "", "en", "en-US", "de", "esperanto", "C"])
def test_any_other_locale_is_told_english(locale: str | None) -> None:
    assert choose_translation(locale) is str
