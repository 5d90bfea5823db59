"""An agent's ``MEMORY.md``: ``## Category`` headings over ``- text (high|medium|low) [tag, tag]``.

Chati's own reader loses further lines of an item, and its writer then the title and all other text.
Here an item goes on in indented lines and in those that do not begin another one, and nothing is
written.
"""

from __future__ import annotations

from synapse_ls.engine.hashing import text_hash
from synapse_ls.engine.words import fold, words
from synapse_ls.formats.memory_fields import confidence_of
from synapse_ls.memory.record import Record
from synapse_ls.text.lines import iter_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

GENERAL: Final = "General"
MEDIUM: Final = "medium"
WORDS: Final = 5  # of an item that make its id
_ITEMS: Final = ("- ", "* ", "+ ")
_TIERS: Final = {"high": "hot", "medium": "warm", "low": ""}  # Chati tells the best ones unasked


def parse(text: str, path: str, agent: str = "") -> tuple[Record, ...]:
    """A record for each item; ``agent`` owns them, "" shares them. Never raises."""
    found: list[Record] = []
    category, begun, lines = GENERAL, 0, list[str]()

    def done() -> None:
        if lines:
            made = _record("\n".join(lines), category, path, begun, agent)
            same = sum(one.id.partition("~")[0] == made.id for one in found)
            found.append(made.replaced(id=f"{made.id}~{same + 1}") if same else made)
            lines.clear()

    fence = False
    for number, (start, end) in enumerate(iter_lines(text)):
        line = text[start:end]
        bare = line.strip()
        if bare.startswith(("```", "~~~")):
            fence = not fence
        if not fence and bare.startswith("#") and bare.lstrip("#")[:1] in ("", " "):
            done()
            if bare.startswith("## "):
                category = bare[3:].strip() or GENERAL
        elif not fence and line.startswith(_ITEMS):
            done()
            lines.append(bare[2:].strip())
            begun = number
        elif lines and bare:
            lines.append(bare)
        elif lines and not bare and not fence:
            lines.append("")
    done()
    return tuple(found)


def _record(item: str, category: str, path: str, line: int, agent: str) -> Record:
    item = item.strip()
    said, tags = _tags(item)
    said, confidence = _confidence(said)
    if said == item:  # the marks may end the first line of several
        first, _, rest = item.partition("\n")
        first, tags = _tags(first.rstrip())
        first, confidence = _confidence(first)
        said = f"{first}\n{rest}".strip()
    fields: dict[str, Any] = {"scope": "private", "agent": agent} if agent else {}
    return Record(
        id=_name(said) or text_hash(said),
        text=said,
        tags=(*tags, *((category.lower(),) if category != GENERAL else ())),
        type="validated_pattern",
        confidence=confidence_of(confidence),
        tier=_TIERS[confidence],
        source=f"{path}, {category}",
        path=path,
        line=line,
        **fields,
    )


def _name(text: str) -> str:
    """The first words of a text as one word: ``use-tabs-in-makefiles``."""
    return "-".join(words(fold(text))[:WORDS])


def _tags(text: str) -> tuple[str, tuple[str, ...]]:
    """The item without the list of tags at its end, and those."""
    opening = text.rfind("[")
    if not text.endswith("]") or opening < 0:
        return text, ()
    inner = text[opening + 1 : -1]
    if inner.strip() in ("", "x", "X"):
        return text, ()
    return text[:opening].rstrip(), tuple(tag for part in inner.split(",") if (tag := part.strip()))


def _confidence(text: str) -> tuple[str, str]:
    """The item without the word for its confidence, and that."""
    for word in ("high", "medium", "low"):
        mark = f"({word})"
        if text.lower().endswith(mark):
            return text[: -len(mark)].rstrip(), word
    return text, MEDIUM
