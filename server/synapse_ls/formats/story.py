"""Story files: what a story is called, where it stands, what it asks for and which files it touches.

There is no one story format. Headers are bold labels, front matter, tables or headings; a status is
a word, a phrase with an emoji, or a list of check boxes in which the last ticked one counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from synapse_ls.formats import markdown, story_criteria, story_files
from synapse_ls.formats.directives import Comments, without
from synapse_ls.formats.fields import fields
from synapse_ls.formats.lists import CheckItem, Item, blocks, cells, is_placeholder
from synapse_ls.formats.markdown import Line, Outline, Section
from synapse_ls.formats.names import agent_id, slug
from synapse_ls.formats.problem import Parsed, Text
from synapse_ls.formats.story_files import FileItem
from synapse_ls.text.span import Span

__all__ = ["CheckItem", "FileItem", "StoryDocument", "parse", "story_state"]

_STATES: Mapping[str, tuple[str, ...]] = {
    "blocked": ("blocked", "bloqueada", "bloqueado", "on hold"),
    "draft": (
        *("draft", "rascunho", "planned", "planning", "backlog", "todo", "to do", "proposed"),
        *("not started", "pending", "nao iniciada", "nao iniciado", "pendente", "planejada"),
    ),
    "in_review": (
        *("in review", "inreview", "review", "ready for review", "readyforreview", "under review"),
        *("ready for qa", "in qa", "qa review", "em revisao", "pronta para revisao", "revisao"),
    ),
    "ready": (
        *("ready", "approved", "validated", "ready for dev", "ready for development"),
        *("pronta", "pronto", "aprovada", "aprovado", "validada"),
    ),
    "in_progress": (
        *("in progress", "inprogress", "progress", "started", "wip", "in development", "doing"),
        *("em progresso", "em andamento", "em desenvolvimento", "implementing", "active"),
    ),
    "done": (
        *("done", "completed", "complete", "closed", "shipped", "released", "merged", "finished"),
        *("concluida", "concluido", "finalizada", "finalizado", "implemented", "feita", "feito"),
    ),
}
_PHRASES = {phrase: state for state, phrases in _STATES.items() for phrase in phrases}
# The phrase that comes first says the state; of two that begin there, the longer one.
_PHRASE = re.compile(rf"\b(?:{'|'.join(sorted(_PHRASES, key=len, reverse=True))})\b")

_HEADER_KEYS: Mapping[str, str] = {
    **dict.fromkeys(("status", "story status", "estado", "situacao"), "status"),
    **dict.fromkeys(("story id", "id", "story number"), "id"),
    **dict.fromkeys(("epic", "epic id", "epico"), "epic"),
    **dict.fromkeys(("executor", "assigned executor"), "executor"),
    "quality gate": "quality_gate",
    **dict.fromkeys(("title", "titulo", "story title"), "title"),
}
_STATUS_HEADINGS = frozenset({"status", "story status", "estado", "situacao", "current status"})
# The header ends where the story's content begins; a "Status" below that is something else's.
_CONTENT = (
    story_criteria.HEADINGS
    | story_files.HEADINGS
    | {
        *("tasks", "subtasks", "tasks subtasks", "tarefas", "dev notes", "dev agent record"),
        *("qa results", "change log", "changelog", "dependencies", "dependencias"),
    }
)
_STORY_WORD = re.compile(
    r"\W*(?:user )?(?:story|hist[oó]ria)(?:[ \t]*:[ \t]*|[ \t]+|$)", re.IGNORECASE
)
_NUMBER = re.compile(
    r"\W*?(?P<open>[\[#]?)(?P<id>(?:[A-Za-z][A-Za-z0-9]*-)+[0-9][\w.]*|[0-9]+(?:\.[0-9]+)*[a-z]?)\b"
    r"\]?[ \t]*(?P<sep>[:–—-]+[ \t]*|(?<=\s)|$)"
)
_LABEL = re.compile(r"\*\*([^*:\n]{1,60})(?::\*\*|\*\*[ \t]*:)")
_PLAIN_LABEL = re.compile(r"([A-Za-zÀ-ÿ][A-Za-zÀ-ÿ ]{1,30}):(?=\s|$)")
_DECORATION = " \t*_`|·•,;>"


@dataclass(frozen=True, slots=True)
class StoryDocument:
    """A story; ``status`` is the file's own words, ``state`` what they mean.

    States: draft, ready, in_progress, in_review, done, blocked, or "" where nothing can be told.
    ``executor`` and ``quality_gate`` are agent ids, ``named`` the places that say so. ``id`` and
    ``title`` may be "": the file name is the caller's to read. ``numbered`` are the places of ``id``.
    """

    id: str
    title: str
    status: str
    status_span: Span | None
    state: str
    criteria: tuple[CheckItem, ...]
    files: tuple[FileItem, ...]
    executor: str
    quality_gate: str
    epic: str
    named: tuple[Text, ...] = ()
    numbered: tuple[Span, ...] = ()


def story_state(status: str) -> str:
    """The state behind a status: ``"Ready for Review ✅"`` -> ``"in_review"``; unknown -> ""."""
    found = _PHRASE.search(slug(status))
    return _PHRASES[found.group()] if found else ""


def parse(text: str) -> Parsed[StoryDocument]:
    """Read a story. It has no problems of its own: nothing in it is wrong, only absent."""
    text = without(text, Comments.MARKUP)
    outline = markdown.outline(text)
    front = fields(text, outline.front) if outline.front else {}
    header: dict[str, Text] = {}
    for key, value in (*_front(front), *_labels(outline)):
        if value.value and not is_placeholder(value.value):
            header.setdefault(key, value)
    status = _status(outline, header)
    assigned = {**_assignment(outline), **header}
    heading = outline.title.value if outline.title else ""
    number, title, at = _numbered(heading)
    identity = _value(header, "id") or number
    places = [header["id"].span] if "id" in header else []
    if outline.title and number == identity:
        places.append(Span(at, at + len(number)).shift(outline.title.span.start))
    return Parsed(
        StoryDocument(
            id=identity,
            title=title or _value(header, "title"),
            status=status.value if status else "",
            status_span=status.span if status else None,
            state=story_state(status.value) if status else "",
            criteria=story_criteria.criteria(outline),
            files=story_files.files(outline),
            executor=agent_id(_value(assigned, "executor")),
            quality_gate=agent_id(_value(assigned, "quality_gate")),
            epic=_value(header, "epic"),
            named=tuple(
                Text(agent_id(assigned[key].value), assigned[key].span)
                for key in ("executor", "quality_gate")
                if agent_id(_value(assigned, key))
            ),
            numbered=tuple(span for span in places if span.cut(text) == identity != ""),
        ),
        (),
    )


def _numbered(heading: str) -> tuple[str, str, int]:
    """Number, title and where the number begins: ``"Story 1.2: Login"`` -> ``("1.2", "Login", 6)``.

    A number needs the word "story" or, with a prefix such as ``ACT-1``, brackets or a separator.
    """
    word = _STORY_WORD.match(heading)
    rest = heading[word.end() :] if word else heading
    found = _NUMBER.match(rest)
    marked = found and not found["id"][0].isdigit() and (found["open"] or found["sep"])
    if found and (word or marked):
        at = len(heading) - len(rest) + found.start("id")
        return found["id"], rest[found.end() :].strip(), at
    return "", rest.strip(), 0


def _value(known: Mapping[str, Text], key: str) -> str:
    return known[key].value if key in known else ""


def _front(front: Mapping[str, Text]) -> Iterator[tuple[str, Text]]:
    for key, value in front.items():
        name = _HEADER_KEYS.get(key.replace("_", " "))
        if name:
            yield name, value


def _header_sections(outline: Outline) -> Iterator[Section]:
    for section in outline.sections:
        if section.slug in _CONTENT:
            return
        yield section


def _labels(outline: Outline) -> Iterator[tuple[str, Text]]:
    """``**Key:** value`` pairs (also quoted, listed, or several on a line) and two-column rows."""
    for section in _header_sections(outline):
        for line in section.lines:
            if line.fence is None:
                for label, value in _pairs(line):
                    name = _HEADER_KEYS.get(slug(label))
                    if name:
                        yield name, value


def _pairs(line: Line) -> Iterator[tuple[str, Text]]:
    row = cells(line)
    if row:
        if len(row) == 2:
            yield row[0].value, _bare(row[1].value, row[1].span.start)
        return
    found = list(_LABEL.finditer(line.text))
    for number, label in enumerate(found, 1):
        end = found[number].start() if number < len(found) else len(line.text)
        yield label.group(1), _bare(line.text[label.end() : end], line.span.start + label.end())
    indent = len(line.text) - len(line.text.lstrip(" \t>-"))
    plain = None if found else _PLAIN_LABEL.match(line.text, indent)
    if plain:
        yield plain.group(1), _bare(line.text[plain.end() :], line.span.start + plain.end())


def _bare(value: str, start: int) -> Text:
    """The value without the separators and marks around it."""
    start += len(value) - len(value.lstrip(_DECORATION))
    value = value.strip(_DECORATION)
    return Text(value, Span(start, start + len(value)))


def _status(outline: Outline, header: Mapping[str, Text]) -> Text | None:
    """What front matter or a label says, else the first status heading's section."""
    told = header.get("status")
    if told and story_state(told.value):
        return told
    for section in outline.sections:
        if section.slug in _STATUS_HEADINGS:
            under = _status_section(section)
            if under:
                return under
    return told


def _status_section(section: Section) -> Text | None:
    found = list(blocks(line for line in section.lines if line.fence is None))
    boxes = [block for block in found if isinstance(block, Item) and block.checked is not None]
    if boxes:
        ticked = [box for box in boxes if box.checked]
        return _bare(ticked[-1].text, ticked[-1].body.start) if ticked else None
    for block in found:
        if isinstance(block, Item):
            return _bare(block.text, block.body.start)
        for _, value in _pairs(block):
            return value
        return _bare(block.text, block.span.start)
    return None


def _assignment(outline: Outline) -> dict[str, Text]:
    """The "Executor Assignment" block: the first YAML fence that names an executor."""
    for fence in outline.fences:
        if fence.language in ("yaml", "yml"):
            found = fields(outline.text, fence.body)
            if "executor" in found:
                return found
    return {}
