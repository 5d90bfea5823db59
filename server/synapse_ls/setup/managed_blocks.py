"""Add and remove the managed block of an instruction file, leaving the rest byte for byte."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from synapse_ls.formats.managed_block import MARKS_REMEDY, ManagedBlock, parse
from synapse_ls.integrations import instruction_files
from synapse_ls.setup.planned_changes import CHANGE, CREATE, NONE, REMOVE, FileChange, write_files
from synapse_ls.text.line_index import LineIndex
from synapse_ls.text.text_edit import line_break_at
from synapse_ls.workspace.regular_files import read_whole
from synapse_ls.workspace.trusted_places import LEADS_INTO_GIT, LEADS_OUT, is_gits_own

EDITED_TROUBLE, FOREIGN_TROUBLE = "edited", "foreign"
BROKEN_TROUBLE, REFUSED_TROUBLE = "broken", "refused"


@dataclass(frozen=True, slots=True)
class SyncChange(FileChange):
    """What synchronisation does to one instruction file, or why it leaves it alone.

    ``file`` is where its bytes are, behind links. ``trouble`` is one of `EDITED_TROUBLE` (somebody
    changed what is ours), `FOREIGN_TROUBLE` (somebody else's file is in the place),
    `BROKEN_TROUBLE` (the marks) and `REFUSED_TROUBLE`, or "": with it, nothing is written.
    ``reason`` is a clause about it. ``line`` is where the first difference is, counted from 1.
    """

    target: str
    line: int = 1
    trouble: str = ""
    reason: str = ""

    @property
    def is_drift(self) -> bool:
        """Whether the file is not as the tree wants it."""
        return bool(self.trouble) or self.action != NONE

    @property
    def remedy(self) -> str:
        """What to do about the trouble, "" for none."""
        return _REMEDIES.get(self.trouble, "")

    @property
    def status_clause(self) -> str:
        """What is to be said about the file, as a clause of which it is the subject."""
        if self.trouble:
            return f"is left alone: {self.reason}"
        return {
            CREATE: "is missing",
            CHANGE: "does not say what the rules say now",
            REMOVE: "has nothing to say any more",
            NONE: "is up to date",
        }[self.action]


_REMEDIES = {
    EDITED_TROUBLE: "Take the edit into the tree, or give it up with --force.",
    FOREIGN_TROUBLE: "Move it away, or leave the target out.",
    BROKEN_TROUBLE: MARKS_REMEDY,
    REFUSED_TROUBLE: "Put a file in its place, or leave the target out.",
}


_BOM = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_MAX_BYTES = 4_000_000  # bytes; no client reads a larger file of rules


@dataclass(frozen=True, slots=True)
class ManagedDocument:
    """An instruction file as it is on disk: its bytes, its text, and the managed block in it.

    ``real`` is where it is behind links. ``text`` is without byte order mark; bytes that are
    not UTF-8 are kept in it as lone surrogates. ``managed`` is what is ours, None for
    nothing. ``refusal`` says why it is left alone, "" where it is not.
    """

    path: str
    real: Path
    data: bytes | None = None
    text: str = ""
    managed: ManagedBlock | None = None
    refusal: str = ""

    @property
    def newline(self) -> str:
        """The line break of the file: that of its first line; CR only where there is no other.

        It stays the same with our part in the file, which is what takes that out to the byte.
        """
        first = self.text.find("\n")
        if first < 0:
            return "\r" if "\r" in self.text else "\n"
        return "\r\n" if first > 0 and self.text[first - 1] == "\r" else "\n"

    def encode(self, text: str) -> bytes:
        """Return the bytes of the file with another text."""
        marked = self.data is not None and self.data.startswith(_BOM)
        return _BOM * marked + text.encode("utf-8", "surrogateescape")

    def with_newlines(self, text: str) -> str:
        """Return ``text`` with the line breaks of the file."""
        return text.replace("\n", self.newline)


def read_document(root: Path, path: str) -> ManagedDocument:
    """Read the instruction file in which a block is placed, at ``path``, relative to the root."""
    file = root / path
    try:
        real = file.resolve()
        base = root.resolve()
        if not real.is_relative_to(base):
            return ManagedDocument(path, real, refusal=LEADS_OUT)
        if is_gits_own(str(real), str(base)):
            return ManagedDocument(path, real, refusal=LEADS_INTO_GIT)
        if not file.exists():
            if file.is_symlink():
                return ManagedDocument(path, real, refusal="it is a link that leads to nothing")
            return ManagedDocument(path, real)
        if not file.is_file():
            return ManagedDocument(path, real, refusal="it is not a file")
        if file.stat().st_size > _MAX_BYTES:
            return ManagedDocument(path, real, refusal=f"it has more than {_MAX_BYTES:,} bytes")
        data = read_whole(file, _MAX_BYTES)
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        return ManagedDocument(path, file, refusal=f"it cannot be read ({reason.lower()})")
    if data.startswith(_UTF16_MARKS):
        return ManagedDocument(path, real, data, refusal="it is UTF-16; save it as UTF-8")
    text = data.removeprefix(_BOM).decode("utf-8", "surrogateescape")
    return ManagedDocument(path, real, data, text, parse(text).document)


_EDITED_REASON = "somebody has changed what `synapse sync` wrote"


def put_block(
    document: ManagedDocument,
    file: instruction_files.InstructionFile,
    target: str,
    *,
    force: bool = False,
) -> SyncChange:
    """Return the change that places the managed block in the file."""
    managed = document.managed
    if refusal := _find_refusal(document, target):
        return refusal
    if managed is None:
        if file.whole and document.text.strip():
            return _unchanged_with_trouble(
                document, target, FOREIGN_TROUBLE, "somebody else's file has this name"
            )
        text = instruction_files.render_file(file)
        if not file.whole:
            # How the file ends tells later how it ended before.
            before, new = document.text, document.newline
            ours = document.with_newlines(text)
            if not before:
                text = f"{text}\n"
            elif before.endswith(("\n", new)):
                text = f"{before}{new}{ours}{new}"
            else:
                text = f"{before}{new}{new}{ours}"
        return _change_text(document, target, text, _line_number(document.text, len(document.text)))
    if instruction_files.is_current(file, managed):
        return _change_text(document, target, document.text, 1)
    line = _line_number(managed.text, instruction_files.first_difference(file, managed))
    text = document.with_newlines(instruction_files.render_file(file))
    if not file.whole:
        text = managed.text[: managed.span.start] + text + managed.text[managed.span.end :]
    change = _change_text(document, target, text, line)
    if instruction_files.loses_edits(file, managed) and not force:
        return replace(change, trouble=EDITED_TROUBLE, reason=_EDITED_REASON)
    return change


def remove_block(
    document: ManagedDocument,
    place: instruction_files.InstructionPlace,
    target: str,
    *,
    force: bool = False,
) -> SyncChange | None:
    """Return the change that takes the managed block out of the file, or removes it where nothing
    else is in it; None where nothing of ours is.
    """
    managed = document.managed
    if managed is None or document.data is None:
        return None
    if refusal := _find_refusal(document, target):
        return refusal
    rest = ""
    if not place.is_whole:
        # Without the block and the empty line that was put before it.
        before, after = managed.text[: managed.span.start], managed.text[managed.span.end :]
        new = line_break_at(managed.text, managed.begin.end)
        before = before.removesuffix(new)
        rest = before + after.removeprefix(new) if after else before.removesuffix(new)
    line = _line_number(managed.text, managed.begin.start)
    if not place.is_whole and document.encode(rest):
        change = _change_text(document, target, rest, line)
    else:
        change = SyncChange(document.path, document.real, document.data, None, target, line)
    if managed.is_edited(whole=place.is_whole) and not force:
        return replace(change, trouble=EDITED_TROUBLE, reason=_EDITED_REASON)
    return change


def _find_refusal(document: ManagedDocument, target: str) -> SyncChange | None:
    if document.refusal:
        return _unchanged_with_trouble(document, target, REFUSED_TROUBLE, document.refusal)
    if document.managed is not None and document.managed.defect:
        line = _line_number(document.text, document.managed.span.start)
        return _unchanged_with_trouble(
            document, target, BROKEN_TROUBLE, document.managed.defect, line
        )
    return None


def _unchanged_with_trouble(
    document: ManagedDocument, target: str, trouble: str, reason: str, line: int = 1
) -> SyncChange:
    data = document.data
    return SyncChange(document.path, document.real, data, data, target, line, trouble, reason)


def _change_text(document: ManagedDocument, target: str, text: str, line: int) -> SyncChange:
    after = document.encode(text)  # the text may be planned, and another than that of the data
    return SyncChange(document.path, document.real, document.data, after, target, line)


def _line_number(text: str, offset: int) -> int:
    return LineIndex(text).line_of(offset) + 1


def write_changes(root: Path, changes: Iterable[SyncChange]) -> tuple[SyncChange, ...]:
    """Make the changes of instruction files, and return those that were made.

    What has a trouble is left alone. Raises UserError where one cannot be written or is not
    as planned any more; everything is then as it was before.
    """
    base = root.resolve()
    planned = []
    for change in changes:
        if change.trouble or change.action == NONE:
            continue
        link = root / change.path
        parents = [str(folder) for folder in change.file.parents if base in folder.parents]
        planned.append(
            replace(
                change,
                within=str(root),
                folders=tuple(reversed(parents)),
                link=link if link.is_symlink() else None,
            )
        )
    write_files(planned)
    return tuple(planned)
