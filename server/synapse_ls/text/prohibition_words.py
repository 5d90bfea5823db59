"""Recognise rules that forbid something, by words of each language, which docs/tree.md lists.

A prohibition leaves a block later than a recommendation; a wrong match has no other effect.
"""

# Language -> (words and phrases anywhere in a rule, first words of a rule), in lower case.
PROHIBITION_WORDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "English": (
        (
            *("never", "only", "solely", "exclusively", "must not", "mustn't", "do not", "don't"),
            *("shall not", "not allowed", "disallowed", "not permitted"),
            *("forbid", "forbids", "forbidden", "prohibit", "prohibits"),
            *("prohibited", "banned", "blocked", "nobody", "no one", "under no circumstances"),
        ),
        ("no", "not"),
    ),
    "Português": (
        (
            *("nunca", "jamais", "só", "somente", "apenas", "unicamente", "exclusivamente"),
            *("não deve", "não devem", "não pode", "não podem", "não use", "não faça"),
            *("não é permitido", "não são permitidos", "proibido", "proibida", "proibidos"),
            *("proibidas", "proíbe", "vedado", "vedada", "bloqueado", "bloqueada", "nenhum"),
            *("nenhuma", "ninguém"),
        ),
        ("não",),
    ),
    "Español": (
        (
            *("nunca", "jamás", "solo", "sólo", "solamente", "únicamente", "exclusivamente"),
            *("no debe", "no deben", "no debes", "no se debe", "no puede", "no pueden"),
            *("no puedes", "no se puede", "no uses", "no use", "no hagas", "no está permitido"),
            *("prohibido", "prohibida", "prohibidos", "prohibidas", "prohíbe", "bloqueado"),
            *("bloqueada", "ningún", "ninguno", "ninguna", "nadie"),
        ),
        ("no",),
    ),
}

_FIRST = frozenset(word for _, first in PROHIBITION_WORDS.values() for word in first)
_ANYWHERE = frozenset(word for anywhere, _ in PROHIBITION_WORDS.values() for word in anywhere)
_PHRASES = tuple(f" {phrase} " for phrase in _ANYWHERE if " " in phrase)
_MARKS = str.maketrans({**dict.fromkeys('.,;:!?()[]{}<>"`*_—–-/\\|…¡¿«»“”#', " "), "’": "'"})


def forbids(text: str) -> bool:
    """Return whether a rule has a word or a phrase that forbids, whole and in any case of
    letters.
    """
    if not (words := text.lower().translate(_MARKS).split()):
        return False
    line = f" {' '.join(words)} "
    return (
        words[0] in _FIRST
        or not _ANYWHERE.isdisjoint(words)
        or any(phrase in line for phrase in _PHRASES)
    )
