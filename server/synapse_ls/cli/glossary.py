"""The glossary of `synapse help WORD`."""

import re
from pathlib import Path
from tomllib import loads

from synapse_ls.version import page_address

# Title of a section -> word, or several, -> what it means.
MEANINGS: dict[str, dict[str, str]] = loads(
    Path(__file__).with_name("words.toml").read_text(encoding="utf-8")
)

# What commands print as well -> the word that explains it.
_OTHER_FORMS = {
    **dict.fromkeys(("fresh", "moderate", "depleted", "critical"), "bracket"),
    **dict.fromkeys(("window", "context window"), "bracket"),
    **dict.fromkeys(("activate", "activated", "awake", "asleep", "sleeping"), "active"),
    **dict.fromkeys(("injected", "injects", "told"), "inject"),
    **dict.fromkeys(("context", "stands", "standing"), "in context"),
    **dict.fromkeys(("late", "owed", "follow", "follows"), "deferred"),
    **dict.fromkeys(("revoke", "withdrawn"), "revoked"),
    **dict.fromkeys(("cut", "token"), "budget"),
    **dict.fromkeys(("star-commands", "star command"), "star-command"),
    **dict.fromkeys(("article", "articles"), "constitution"),
    **dict.fromkeys(("recall", "trigger"), "keyword"),
    **dict.fromkeys(("sub-agent", "sub-agents"), "agent"),
}

# What to ask for instead of a word, for the list of them.
ALL_WORDS = "words"

_EMPHASIS = re.compile(r"(?<!`)\*(\w+)\*")
_LINK = re.compile(r"\[([^]]*)\]\(([^)#]*)[^)]*\)")


def all_words() -> list[str]:
    """Return the words that have a meaning here, each alone."""
    return [word for words in MEANINGS.values() for names in words for word in names.split(", ")]


def find_meaning(word: str) -> tuple[str, str, str] | None:
    """Return the word (with those explained beside it), what it means, and where there is more (""
    for nowhere); None for a word that is not here. Case and a plural do not matter.
    """
    wanted = word.casefold()
    forms = (wanted, wanted.removesuffix("s"), _OTHER_FORMS.get(wanted, ""))
    for meanings in MEANINGS.values():
        for names, text in meanings.items():
            if any(form in names.casefold().split(", ") for form in forms):
                sentences = re.split(r"(?<=\.) (?=[A-Z\[])", text)
                meaning = " ".join(sentence for sentence in sentences if not _LINK.search(sentence))
                link = _LINK.search(text)
                page = f"docs/{link[2]}" if link else ""
                return names, _EMPHASIS.sub(r"\1", meaning), page and (page_address(page) or page)
    return None
