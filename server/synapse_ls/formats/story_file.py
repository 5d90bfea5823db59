"""Parse story files: title, id, status, acceptance criteria, executor and file list.

There is no single format. Headers are bold labels, front matter, tables or headings; a status is a
word, a phrase with an emoji, or check boxes of which the last ticked counts. Criteria are check
boxes, lists, ``### AC1:`` headings, Gherkin scenarios or tables, in English or Portuguese.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from typing import NamedTuple

from synapse_ls.formats import markdown_outline
from synapse_ls.formats.markdown_outline import (
    CheckItem,
    Line,
    ListItem,
    Outline,
    Section,
    is_placeholder,
    parse_blocks,
    parse_fields,
    parse_list_item,
    table_cells,
)
from synapse_ls.formats.name_normalization import normalize_agent_id, to_slug
from synapse_ls.text.finding import ParseResult, Text
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.span import Span

__all__ = ["CheckItem", "FileItem", "StoryDocument", "parse", "story_state"]

_HEADER = lazy_pattern(
    r"(Scenario(?: Outline)?|Cen[aá]rio|Esquema do Cen[aá]rio|Background|Contexto)"
    r"(?: [0-9]+)?[ \t]*(?::|[-–—][ \t])[ \t]*",
    re.IGNORECASE,
)
_STEP = lazy_pattern(
    r"(?:(?P<given>Given|Dad[oa]s?)|(?P<when>When|Quando)|(?P<then>Then|Ent[aã]o)"
    r"|(?P<more>And|But|E|Mas))(?=\s)",
    re.IGNORECASE,
)
_FENCES = (None, "", "gherkin", "feature", "cucumber", "text")
_NO_CONTINUATION = ("|", '"""', "#", "@", "Examples:", "Exemplos:", "Feature:")


@dataclass(slots=True)
class _ScenarioDraft:
    title: str = ""
    is_counted: bool = True  # a background belongs to every scenario and is none itself
    start: int = -1
    end: int = -1
    steps: list[list[str]] = field(default_factory=list)
    kinds: set[str] = field(default_factory=set)

    def extend_span(self, span: Span) -> None:
        self.start = span.start if self.start < 0 else self.start
        self.end = span.end

    def finish(self) -> Iterator[Text]:
        if self.is_counted and self.steps:
            text = ", ".join(" ".join(step).rstrip(",;.") for step in self.steps)
            text = f"{self.title}: {text}" if self.title else text
            yield Text(text, Span(self.start, self.end))


def _find_scenarios(lines: Iterable[Line], title: str = "") -> Iterator[Text]:
    """Yield the Gherkin scenarios among the lines of acceptance criteria, each as one sentence,
    ``title: Given …, When …, Then …``; the first takes ``title`` unless it has one of its own.

    Without headers a new scenario begins at each "Given" after a "Then".
    """
    draft = _ScenarioDraft(title)
    wrapped = False
    for line in lines:
        if line.fence not in _FENCES:
            continue
        item = parse_list_item(line)
        text = (item.text if item else line.text.strip()).replace("**", "")
        header, step = _HEADER.match(text), _STEP.match(text)
        kind = step.lastgroup or "" if step else ""
        if header or (kind == "given" and "then" in draft.kinds):
            yield from draft.finish()
            draft = _ScenarioDraft()
        if header:
            name = header.group(1).lower()
            draft.title = text[header.end() :].strip()
            draft.is_counted = name not in ("background", "contexto")
            draft.extend_span(line.span)
        elif kind and (kind != "more" or draft.steps):
            draft.steps.append([text])
            draft.kinds.add(kind)
            draft.extend_span(line.span)
        elif text and wrapped and not item and not text.startswith(_NO_CONTINUATION):
            draft.steps[-1].append(text)
            draft.extend_span(line.span)
            continue
        wrapped = bool(kind) and bool(draft.steps)
    yield from draft.finish()


CRITERIA_HEADINGS = frozenset({
    "acceptance criteria", "acceptance criterion", "acceptance tests", "criterios de aceitacao",
    "criterios de aceite", "criterio de aceitacao", "ac", "acs",
})  # fmt: skip
_ASIDES = frozenset({"notes", "note", "notas", "nota", "out of scope", "fora de escopo"})
_CRITERION_LABEL = lazy_pattern(
    r"\W*((?:AC|CA)[ -]?[0-9]+(?:\.[0-9]+)*|Crit[eé]ri(?:on|o) [0-9]+)\b", re.IGNORECASE
)
_TICK = lazy_pattern("[✅☑✔✓]|\\[[xX]\\]")


def parse_criteria(outline: Outline) -> tuple[CheckItem, ...]:
    """Return a story's acceptance criteria: those of the first section with such a heading that has
    any.
    """
    for section in outline.sections:
        if section.slug not in CRITERIA_HEADINGS:
            continue
        under = outline.with_subsections(section)
        parts = [_CriteriaPart.from_section(part) for part in under if part.slug not in _ASIDES]
        any_boxes = any(part.boxes for part in parts)
        items = [item for part in parts for item in part.items(any_boxes)]
        if filled := tuple(item for item in items if not is_placeholder(item.text)):
            return filled
    return ()


class _CriteriaPart(NamedTuple):
    """One heading's worth of criteria."""

    section: Section
    label: str
    boxes: tuple[ListItem, ...]
    list_items: tuple[ListItem, ...]
    lines: tuple[ListItem | Line, ...]

    @classmethod
    def from_section(cls, section: Section) -> _CriteriaPart:
        label = _CRITERION_LABEL.match(section.title.value)
        blocks = tuple(parse_blocks(line for line in section.lines if line.fence is None))
        items = [block for block in blocks if isinstance(block, ListItem) and block.text]
        return cls(
            section,
            label.group(1) if label else "",
            tuple(item for item in items if item.checked is not None),
            tuple(item for item in items if item.indent == items[0].indent),
            blocks,
        )

    def items(self, any_boxes: bool) -> Iterable[CheckItem]:
        if self.boxes:
            return (self._to_criterion(i.text, bool(i.checked), i.span) for i in self.boxes)
        heading = self.section.title.value
        header = _HEADER.match(heading)
        title = heading[header.end() :].strip() if header else ""  # "Scenario 1: Login"
        if scenarios := tuple(_find_scenarios(self.section.lines, title)):
            return (self._to_criterion(text, False, span) for text, span in scenarios)
        if self.label:
            return [CheckItem(heading, bool(_TICK.search(heading)), self.section.title.span)]
        if any_boxes:
            return ()
        if self.list_items:
            return (self._to_criterion(item.text, False, item.span) for item in self.list_items)
        # The rows of a table, `| AC1 | text | ✅ |`; the first one names the columns.
        rows = [(line, table_cells(line)) for line in self.lines if isinstance(line, Line)]
        criteria = []
        for line, row in [pair for pair in rows if pair[1]][1:]:
            texts = [cell.value for cell in row]
            numbered = len(texts) > 1 and len(texts[0]) <= 8
            text = f"{texts[0]}: {texts[1]}" if numbered else texts[0]
            is_ticked = any(_TICK.search(cell) for cell in texts)
            criteria.append(self._to_criterion(text, is_ticked, line.span))
        return criteria + [
            self._to_criterion(line.text.strip(), bool(_TICK.search(line.text)), line.span)
            for line in [li for li, row in rows if not row and _CRITERION_LABEL.match(li.text)]
        ]

    def _to_criterion(self, text: str, checked: bool, span: Span) -> CheckItem:
        text = text.replace("**", "")
        labelled = not self.label or _CRITERION_LABEL.match(text)
        return CheckItem(text if labelled else f"{self.label}: {text}", checked, span)


FILE_LIST_HEADINGS = frozenset({
    "file list", "files", "files list", "files modified", "modified files", "files created",
    "files changed", "changed files", "files affected", "affected files", "files to create",
    "files to modify", "lista de arquivos", "lista de ficheiros", "arquivos modificados",
    "arquivos alterados", "ficheiros alterados",
})  # fmt: skip
# A sub-heading that begins with one of these words says what happened to the files below it.
_ACTIONS = {
    **dict.fromkeys(("new", "created", "create", "added", "novo", "novos", "criados"), "new"),
    **dict.fromkeys(
        ("modified", "modify", "changed", "updated", "edited", "modificados", "alterados"),
        "modified",
    ),
    **dict.fromkeys(("deleted", "delete", "removed", "removidos", "excluidos"), "deleted"),
    **dict.fromkeys(("renamed", "moved", "renomeados", "movidos"), "moved"),
}
_PLAIN_FILE_NAMES = frozenset(
    {
        *("brewfile", "codeowners", "dockerfile", "gemfile", "jenkinsfile", "justfile", "license"),
        *("makefile", "notice", "procfile", "rakefile", "readme", "vagrantfile"),
    }
)
_COLUMNS = ("action", "status", "change", "type", "acao", "tipo", "estado")
_LINK = lazy_pattern(r"\[([^\[\]]*)\]\(([^()\s]*)[^()]*\)")
_CODE = lazy_pattern(r"`([^`]+)`")
_FILE_WORD = lazy_pattern(r"[^\s`|<>\"'()\[\]{},;]+")
_FILE_PATH = lazy_pattern(
    r"(?:\.{0,2}/)?(?:[^\s/:]+/)*(?:[^\s/:]*\.[A-Za-z0-9]{1,12}|[^\s/:]+/[^\s/:]*|\.[\w.-]+)/?"
)


class FileItem(NamedTuple):
    """A file in the list of a story's files; ``note`` is what its line says beside the path, e.g.
    "new".
    """

    path: str
    note: str
    span: Span


def parse_file_list(outline: Outline) -> tuple[FileItem, ...]:
    """Return the files of every file list in the story, each path once, in text order."""
    file_items: dict[str, FileItem] = {}
    for section in outline.sections:
        slugs = [part.slug for part in (section, *outline.parents(section))]
        if slugs[0] not in FILE_LIST_HEADINGS or not FILE_LIST_HEADINGS.isdisjoint(slugs[1:]):
            continue
        for part in outline.with_subsections(section):
            action = "" if part is section else _action_of(part.slug)
            for item in _section_files(part, action):
                known = file_items.get(item.path)
                if known is None or (item.note and not known.note):
                    file_items[item.path] = item
    return tuple(sorted(file_items.values(), key=lambda item: item.span))


def _action_of(words: str) -> str:
    return next((_ACTIONS[word] for word in words.split() if word in _ACTIONS), "")


def _section_files(section: Section, action: str) -> Iterator[FileItem]:
    group, column = "", -1
    for line in section.lines:
        if line.fence is not None:
            continue
        item, row = parse_list_item(line), table_cells(line)
        if item and (path := _find_path(Text(item.text, item.body))):
            # What follows the path, without brackets and dashes; else the words before it.
            offset = path.span.start - item.body.start
            after = item.text[offset + len(path.value) :]
            after = re.sub(r"^[`*]*(?:\]\([^()]*\)|\))?[`*]*", "", after).strip(" \t:–—-")
            if after.startswith("(") and after.endswith(")") and after.count("(") == 1:
                after = after[1:-1]
            note = after.strip() or _action_of(to_slug(item.text[:offset])) or group or action
            yield FileItem(path.value, note, path.span)
        elif row:
            paths = [
                (number, path) for number, cell in enumerate(row) if (path := _find_path(cell))
            ]
            if not paths:
                column = next((n for n, c in enumerate(row) if to_slug(c.value) in _COLUMNS), -1)
                continue
            number, path = paths[0]
            after = next((cell.value for cell in row[number + 1 :] if cell.value), "")
            note = row[column].value if 0 <= column < len(row) else after
            yield FileItem(path.value, note or group or action, path.span)
        elif line.text.rstrip().endswith(":"):
            group = _action_of(to_slug(line.text))


def _find_path(text: Text) -> Text | None:
    """Return the path that a list item or table cell names: as a link, in back-ticks, or bare; None
    for no path.
    """
    value, start = text.value, text.span.start
    if link := _LINK.search(value):
        label = link.group(1).strip("`* ")
        if label and " " not in label and (_is_path(label) or link.group(2).endswith(label)):
            return _path_text(label, start + link.start(1) + link.group(1).index(label))
        target = link.group(2).removeprefix("./")
        return _path_text(target, start + link.end(2) - len(target)) if _is_path(target) else None
    if code := _CODE.search(value):
        path = code.group(1).strip()
        begin = start + code.start(1) + code.group(1).index(path)
        return _path_text(path, begin) if path and " " not in path else None
    for word in _FILE_WORD.finditer(value):
        path = word.group().strip("*").rstrip(".:")
        if _is_path(path):
            return _path_text(path, start + word.start() + word.group().index(path))
        if not all(known in _ACTIONS for known in to_slug(path).split()):
            break
    return None


def _is_path(word: str) -> bool:
    named = word.lower() in _PLAIN_FILE_NAMES or _FILE_PATH.fullmatch(word)
    return bool(named) and any(c.isalpha() for c in word)


def _path_text(path: str, start: int) -> Text:
    return Text(path, Span(start, start + len(path)))


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
_PHRASE = lazy_pattern(rf"\b(?:{'|'.join(sorted(_PHRASES, key=len, reverse=True))})\b")

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
    CRITERIA_HEADINGS
    | FILE_LIST_HEADINGS
    | {
        *("tasks", "subtasks", "tasks subtasks", "tarefas", "dev notes", "dev agent record"),
        *("qa results", "change log", "changelog", "dependencies", "dependencias"),
    }
)
_STORY_WORD = lazy_pattern(
    r"\W*(?:user )?(?:story|hist[oó]ria)(?:[ \t]*:[ \t]*|[ \t]+|$)", re.IGNORECASE
)
_NUMBER = lazy_pattern(
    r"\W*?(?P<open>[\[#]?)(?P<id>(?:[A-Za-z][A-Za-z0-9]*-)+[0-9][\w.]*|[0-9]+(?:\.[0-9]+)*[a-z]?)\b"
    r"\]?[ \t]*(?P<sep>[:–—-]+[ \t]*|(?<=\s)|$)"
)
_LABEL = lazy_pattern(r"\*\*([^*:\n]{1,60})(?::\*\*|\*\*[ \t]*:)")
_PLAIN_LABEL = lazy_pattern(r"([A-Za-zÀ-ÿ][A-Za-zÀ-ÿ ]{1,30}):(?=\s|$)")
_DECORATION = " \t*_`|·•,;>"


class StoryDocument(NamedTuple):
    """What a story file says; ``status`` is the file's own words, ``state`` what they mean.

    States: draft, ready, in_progress, in_review, done, blocked, or "" where nothing can be told.
    ``executor`` is an agent's id, ``agent_mentions`` the agents of the executor and quality gate.
    ``id`` and ``title`` may be "": the file name is the caller's to read. ``id_spans`` are the
    places of ``id``.
    """

    id: str
    title: str
    status: str
    status_span: Span | None
    state: str
    criteria: tuple[CheckItem, ...]
    files: tuple[FileItem, ...]
    executor: str
    epic: str
    agent_mentions: tuple[Text, ...] = ()
    id_spans: tuple[Span, ...] = ()


def story_state(status: str) -> str:
    """Return the state behind the status in a story file: ``"Ready for Review ✅"`` ->
    ``"in_review"``; unknown -> "".
    """
    match = _PHRASE.search(to_slug(status))
    return _PHRASES[match.group()] if match else ""


def parse(text: str) -> ParseResult[StoryDocument]:
    """Parse a story file. It has no problems of its own: nothing in it is wrong, only absent."""
    outline = markdown_outline.parse_clean_outline(text)
    text = outline.text
    front = parse_fields(text, outline.front) if outline.front else {}
    # `**Key:** value` pairs, also quoted, listed, or several on a line, and two-column rows.
    above = takewhile(lambda section: section.slug not in _CONTENT, outline.sections)
    lines = (line for section in above for line in section.lines if line.fence is None)
    labels = ((to_slug(label), value) for line in lines for label, value in _line_pairs(line))
    header: dict[str, Text] = {}
    for label, value in (*((key.replace("_", " "), v) for key, v in front.items()), *labels):
        name = _HEADER_KEYS.get(label)
        if name and value.value and not is_placeholder(value.value):
            header.setdefault(name, value)
    # What front matter or a label says, else the first status heading's section.
    status = header.get("status")
    if status is None or not story_state(status.value):
        under = (_status_section(s) for s in outline.sections if s.slug in _STATUS_HEADINGS)
        status = next(filter(None, under), status)
    # The "Executor Assignment" block: the first YAML fence that names an executor.
    blocks = (parse_fields(text, f.body) for f in outline.fences if f.language in ("yaml", "yml"))
    assigned = {**next((fields for fields in blocks if "executor" in fields), {}), **header}
    number, title, at = _split_number(outline.title.value if outline.title else "")
    identity = _header_value(header, "id") or number
    places = [header["id"].span] if "id" in header else []
    if outline.title and number == identity:
        places.append(Span(at, at + len(number)).shift(outline.title.span.start))
    return ParseResult(
        StoryDocument(
            id=identity,
            title=title or _header_value(header, "title"),
            status=status.value if status else "",
            status_span=status.span if status else None,
            state=story_state(status.value) if status else "",
            criteria=parse_criteria(outline),
            files=parse_file_list(outline),
            executor=normalize_agent_id(_header_value(assigned, "executor")),
            epic=_header_value(header, "epic"),
            agent_mentions=tuple(
                Text(normalize_agent_id(assigned[key].value), assigned[key].span)
                for key in ("executor", "quality_gate")
                if normalize_agent_id(_header_value(assigned, key))
            ),
            id_spans=tuple(span for span in places if span.cut(text) == identity != ""),
        ),
        (),
    )


def _split_number(heading: str) -> tuple[str, str, int]:
    """Return number, title and where the number begins: ``"Story 1.2: Login"`` -> ``("1.2",
    "Login", 6)``.

    A number needs the word "story" or, with a prefix such as ``ACT-1``, brackets or a separator.
    """
    word = _STORY_WORD.match(heading)
    rest = heading[word.end() :] if word else heading
    match = _NUMBER.match(rest)
    marked = match and not match["id"][0].isdigit() and (match["open"] or match["sep"])
    if match and (word or marked):
        at = len(heading) - len(rest) + match.start("id")
        return match["id"], rest[match.end() :].strip(), at
    return "", rest.strip(), 0


def _header_value(header: Mapping[str, Text], key: str) -> str:
    return header[key].value if key in header else ""


def _line_pairs(line: Line) -> Iterator[tuple[str, Text]]:
    if row := table_cells(line):
        if len(row) == 2:
            yield row[0].value, _strip_decoration(row[1].value, row[1].span.start)
        return
    indent = len(line.text) - len(line.text.lstrip(" \t>-"))
    plain = _PLAIN_LABEL.match(line.text, indent)
    labels = list(_LABEL.finditer(line.text)) or ([plain] if plain else [])
    for number, label in enumerate(labels, 1):
        begin = label.end()
        end = labels[number].start() if number < len(labels) else len(line.text)
        yield label.group(1), _strip_decoration(line.text[begin:end], line.span.start + begin)


def _strip_decoration(value: str, start: int) -> Text:
    start += len(value) - len(value.lstrip(_DECORATION))
    value = value.strip(_DECORATION)
    return Text(value, Span(start, start + len(value)))


def _status_section(section: Section) -> Text | None:
    blocks = list(parse_blocks(line for line in section.lines if line.fence is None))
    boxes = [block for block in blocks if isinstance(block, ListItem) and block.checked is not None]
    if boxes:
        ticked = [box for box in boxes if box.checked]
        return _strip_decoration(ticked[-1].text, ticked[-1].body.start) if ticked else None
    for block in blocks:
        if isinstance(block, ListItem):
            return _strip_decoration(block.text, block.body.start)
        for _, value in _line_pairs(block):
            return value
        return _strip_decoration(block.text, block.span.start)
    return None
