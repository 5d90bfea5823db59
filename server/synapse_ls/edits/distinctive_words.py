"""Distinctive words of a name or sentence: the keywords that tell its subject from others."""

from __future__ import annotations

import re
from collections.abc import Collection

# Keywords that are proposed for one domain; more would match almost every prompt.
MOST_WORDS = 6

_SHORTEST = 3
_PLURAL_FROM = 4  # letters of a word whose plural is a keyword, too: "gits" is nobody's word
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
# Portuguese and Spanish plurals that no other word ends like: traduções, migraciones.
_PLURALS_ABROAD = (("ões", "ão"), ("ãos", "ão"), ("ciones", "ción"))
# What those of a text in these languages end in that only lose their s: lojas, módulos, testes.
_PLAIN_PLURALS_ABROAD = ("as", "os", "tes", "dades")
_SINGULARS_ABROAD = (("ção", "ções"), ("são", "sões"), ("ción", "ciones"))
# What says, beside letters that English does not have, that a text is Portuguese or Spanish.
_WORDS_ABROAD = re.compile(
    r"\b(?:não|para|com|uma?|dos?|das?|el|los?|las?|del|una?|por|antes|cada|todos?|todas?)\b",
    re.IGNORECASE,
)
_WORDS_OF_ENGLISH = re.compile(
    r"\b(?:the|and|an?|is|are|of|for|with|to|in|on|by|it|that|not|from|before|after)\b",
    re.IGNORECASE,
)
# Names that have no plural, or look like one.
_TOOLS = """
aio aios alembic ansible aws axios babel black celery cors css devops dns django docker eslint
express fastapi flask gcp git github gitlab gunicorn https jenkins jest jira js kafka kubernetes
laravel linux macos mongodb mypy mysql nextjs nginx nodejs npm pandas playwright pnpm poetry
postgres postgresql prettier prisma pydantic pylons pytest python rails react redis redux ruff rust
sass sentry sqlalchemy supabase svelte tailwind terraform tls typescript vite vitest vue webpack
windows yarn zustand
"""
_NAMES = frozenset(_TOOLS.split())
_APOSTROPHE = re.compile("['’]")

# Words that stand in prompts about anything, so that a domain recalled by one would always load.
_COMMON_WORDS = """
about add additional after again agent agents all always and another any app append appendix
application apply are article articles ask avoid back base based basic because been before begin
begins best between both but can change changed changes chapter check code coding come comes
command commands common config context convention conventions core correct create current custom
default define details develop development domain done each earlier early edit edited edits eight
end ends ensure entire ever every example examples except fake few file files find first five fix
follow following for four from full general get global goes good guide guideline guidelines guides
half has have help her his how important info information instead instruction instructions into
introduction item items its just keep keeps key large last later left less like list little live
lives long made make makes manage many may merged misc miscellaneous mode module modules more most
much must need never new next nine not note notes nothing now off often old once one only other our
out overview page part parts pattern patterns phase phases please policy practice practices
preamble previous principles process project projects prompt purpose read readme reference
references related relevant repo repository required requirements rule rules run same scope second
section sections see self separate set setup seven several short should simple six small some
something soon specific standard standards start starts step steps still stuff style such summary
sure system take taken takes task tasks team ten that the their them then there these they things
third this those three through time times tip tips too try two type types update usage usages use
used user
uses using various very was way welcome well were what when where which while who whole why will
with work workflow working write writing yet you your
"""
# The same of Portuguese, Spanish, French, German and Italian.
_COMMON_ABROAD = """
aber adicione agora ahora ainda algum alguma algumas alguna alguno alguns algún ali alle alles als
antes aos apenas após aquel aquela aquelas aquele aqueles aquella aqui assim até aucun aussi avec
avoir añade bei cada caso che chez coloque com como con conforme contra crea crie cuando cuja cujo
dal dalla dans das dass debe deben deixe deja del dela delas dele deles della dem den depois der des
desde dessa dessas desse desses desta destas deste destes deve devem dies diese disso disto doit
doivent donde dos durante ein eine einen einer ejecuta elle els entre então escreva escribe ese essa
esse esta estas este estes está estão evita evite execute faire fait fazer faça foi fois für garanta
gli hacer hasta hat hay immer isso ist isto jamais já kann kein keine las leia les leur lhe lhes los
lá mais mantenha mantén mas me mesmo meu minha mit mostrar mucha muchas mucho muchos muita muitas
muito muitos muss nach nas nella nenhum nenhuma nessa nesse nesta neste nicht nie ninguna ninguno
nisso nisto noch nomeie non nos nossa nossas nosso nossos nostro nous nuestra nuestro numa numas
nunca nuns nur não oder onde ont otra otras otro otros ou outra outras outro outros par para pas
pela pelas pelo pelos per pero peu plus pode podem pois pon por porque portanto porém pouco pour
prefiere prefira puede puis quais qual quando quanto que quem questa questo qui quoi rode sans
seguir según sem sempre senza ser seu seus sich sie siempre siga sigue sin sind sino sobre solamente
solo somente sont sous sua suas sul sur sólo também te tem tener ter teu toda todas todo todos
toujours tous tout toute tra trabalhe tras tua tutte tutti uma umas una unas und une uno unos usar
use utiliser va vai ver verifica verifique verwenden você von vos votre vous wenn werden wie wird ya
zum zur à às être
"""
_COMMON = frozenset(_COMMON_WORDS.split()) | frozenset(_COMMON_ABROAD.split())


def distinctive_words(text: str, *, most: int | None = MOST_WORDS) -> tuple[str, ...]:
    """Return the words of ``text`` that few prompts contain by chance, each once, at most ``most``.

    Words of fewer than three letters, numbers and words of no particular subject are left out.
    """
    words: dict[str, None] = {}
    for written in _WORD.findall(text):
        # Without what an apostrophe ties to it (owner's, l'index); nothing of one that is only
        # shortened (don't).
        word, *tail = _APOSTROPHE.split(written.casefold())
        if tail and tail != ["s"]:
            word = tail[-1] if len(word) < _SHORTEST else ""
        if len(word) >= _SHORTEST and not word.isdigit() and word not in _COMMON:
            words[word] = None
    return tuple(words)[:most]


def is_english(text: str) -> bool:
    """Return whether the words of a text are to be picked as those of English, rather than of
    Portuguese or Spanish.
    """
    return len(_WORDS_OF_ENGLISH.findall(text)) >= len(_WORDS_ABROAD.findall(text))


def capital_names(text: str) -> frozenset[str]:
    """Return the distinctive words, folded, that a text has in capitals (AIO, AWS), or with one
    inside (DevOps).
    """
    matches = _WORD.findall(text)
    return frozenset(word.casefold() for word in matches if word[1:] != word[1:].lower())


def word_forms(
    word: str, *, plural: bool = True, english: bool = True, names: Collection[str] = ()
) -> tuple[str, ...]:
    """Return a distinctive word with its singular and, with ``plural``, its plural; of an English
    one that ends in -ing what it is made of as well: keywords are found as whole words.

    Forms that cannot be told from the letters alone are left out: of a word that is not ``english``
    or has letters that English does not have, all but -ção and -ções and their like; of ``names``,
    and those of known tools, all.
    """
    if word in _NAMES or word in names:
        return (word,)
    # The singular of a Portuguese or Spanish plural, or the other way round.
    for ending, other in (*_PLURALS_ABROAD, *(_SINGULARS_ABROAD if plural else ())):
        if word.endswith(ending) and len(word) > len(ending) + 1:
            return (word, f"{word.removesuffix(ending)}{other}")
    if not english and len(word) > _SHORTEST and word.endswith(_PLAIN_PLURALS_ABROAD):
        return (word, word[:-1])
    if not (english and word.isascii()):
        return (word,)
    forms = [word]
    if word.endswith("ies") and len(word) > _PLURAL_FROM:
        forms.append(f"{word[:-3]}y")
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        forms.append(word[:-2] if word.endswith(_ES_PLURALS) else word[:-1])
    elif plural and len(word) >= _PLURAL_FROM and not word.endswith(("s", "ing")):
        forms.append(_plural_form(word))
    if stem := _ing_stem(word):
        forms += (stem, _plural_form(stem)) if plural else (stem,)
    return tuple(forms)


_VOWELS = "aeiou"


# "branches", "crashes", "boxes", "classes", but "caches".
_ES_PLURALS = ("nches", "tches", "shes", "xes", "sses")


def _plural_form(word: str) -> str:
    if word.endswith("y") and word[-2:-1] not in _VOWELS:
        return f"{word[:-1]}ies"
    return f"{word}es" if word.endswith(("s", "x", "z", "ch", "sh")) else f"{word}s"


def _ing_stem(word: str) -> str:
    """Return "test" for "testing" and "log" for "logging"; "" where an e may be lacking."""
    stem = word.removesuffix("ing")
    if stem == word or len(stem) < _SHORTEST or stem[-1] in _VOWELS:
        return ""
    if stem[-1] == stem[-2] and stem[-1] not in "ls":
        return stem[:-1]
    return stem if stem[-1] == "y" or stem[-2] not in _VOWELS else ""
