"""Read and write the baseline of ``synapse check``: a JSON file of known findings.

A finding is identified by its rule's code, the path of its file and a digest of its first line, so
it survives moved lines. Of equal findings the baseline covers as many as it counts.
"""

import os
import shlex
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from synapse_ls.cli.check_report import CheckedTree
from synapse_ls.text.digest import hash_text
from synapse_ls.text.fast_json import JsonError, dumps, loads
from synapse_ls.text.finding import Finding
from synapse_ls.text.line_index import LineIndex
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.regular_files import read_whole

# The version of the file's layout; a program reads its own.
VERSION = 1
_VERSION_KEY = "synapse-baseline"


class KnownFinding(NamedTuple):
    """What a finding in the baseline is recognised by.

    path: relative to the root of its tree. line: the digest of its line without the space around
    it.
    """

    path: str
    code: str
    line: str


# How many findings of each kind a baseline file lists for one tree.
Baseline = Counter[KnownFinding]


def split_findings(
    baseline: Baseline, findings: Iterable[Finding], text_of: Callable[[str], str]
) -> tuple[tuple[Finding, ...], Baseline]:
    """Return the findings that a baseline does not list, in order, and what it lists and was not
    found.
    """
    unmatched = baseline.copy()
    new = []
    for finding, entry in _identify_findings(findings, text_of):
        if unmatched[entry] > 0:
            unmatched[entry] -= 1
        else:
            new.append(finding)
    return tuple(new), +unmatched


def _identify_findings(
    findings: Iterable[Finding], text_of: Callable[[str], str]
) -> Iterator[tuple[Finding, KnownFinding]]:
    """Yield each finding with what it is recognised by."""
    files: dict[str, tuple[str, LineIndex]] = {}
    for finding in findings:
        if finding.path not in files:
            text = text_of(finding.path)
            files[finding.path] = text, LineIndex(text)
        text, lines = files[finding.path]
        line = lines.line_span(lines.line_of(finding.span.start)).cut(text).strip()
        yield finding, KnownFinding(finding.path, finding.code, hash_text(line))


def read_baseline(file: str, root: str) -> Baseline:
    """Return what a baseline lists for the tree at ``root``; raise UserError for a file that is
    none, or is one of other trees.
    """
    trees = _parse_text(file, _read_text(file)).trees
    if (key := _tree_key(file, root)) not in trees:
        listed = ", ".join(map(dumps, sorted(trees))) or "none"
        raise UserError(
            f"The baseline {file} has no list for the tree {dumps(key)}, as seen from its "
            f"folder. It has: {listed}.",
            f"Move it back if it was moved, add {dumps(key)}: [] for a new tree, or write it anew: "
            f"{_writing_command(file)}",
        )
    return trees[key]


class _Listing(NamedTuple):
    """What a file holds.

    trees: tree -> how many findings of each kind are known. names: code of a rule -> its name.
    """

    trees: dict[str, Baseline]
    names: dict[str, str]


def _parse_text(file: str, text: str) -> _Listing:
    """Return what the text of a baseline holds; raise UserError for one that is none."""
    try:
        return _parse_content(loads(text))
    except JsonError as error:
        line, column = LineIndex(text).position(min(error.offset, len(text)))
        raise UserError(
            f"{file}:{line + 1}:{column + 1}: This is not JSON, so the file is no baseline.",
            _remedy(file, text),
        ) from error
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise UserError(
            f"{file} does not have the layout of a baseline.", _remedy(file, text)
        ) from error


def _read_text(file: str) -> str:
    try:
        return read_whole(file).decode("utf-8-sig")
    except FileNotFoundError as error:
        raise UserError(
            f"There is no baseline {file}.", f"Write it: {_writing_command(file)}"
        ) from error
    except OSError as error:
        raise UserError(
            f"The baseline {file} cannot be read: {error.strerror}.", "Name a file that can be."
        ) from error
    except UnicodeDecodeError as error:
        raise UserError(
            f"{file} is no baseline of synapse check: it is not UTF-8.", _remedy(file)
        ) from error


def _writing_command(file: str) -> str:
    command = f"synapse check --write-baseline {shlex.quote(file)}"
    return f"{command}, with the paths and options of this call."


def _remedy(file: str, text: str = "") -> str:
    """Return what to do about a file that cannot be read as a baseline; one that never was a
    baseline is not to be written over.
    """
    if _VERSION_KEY in text:
        return f"Mend it, or write it anew: {_writing_command(file)}"
    return "Name a file that --write-baseline has written."


def _parse_content(content: Any) -> _Listing:
    """Return what the value of the file's JSON holds; raise any error for another layout."""
    if content[_VERSION_KEY] != VERSION:
        raise ValueError
    listing = _Listing({}, {})
    for tree, entries in content["trees"].items():
        counts = listing.trees[tree] = Baseline()
        for entry in entries:
            if entry["count"] < 1:
                raise ValueError
            finding = KnownFinding(*(entry[name] for name in KnownFinding._fields))
            counts[finding] += entry["count"]
            listing.names[finding.code] = entry.get("name", "")
    return listing


def _tree_key(file: str, root: str) -> str:
    """Return how a baseline calls a tree: by its path from the folder that the baseline is in."""
    folder = os.path.realpath(Path(file).absolute().parent)
    try:
        relative = os.path.relpath(os.path.realpath(root), folder)
    except ValueError:  # on another drive of Windows
        relative = os.path.realpath(root)
    return relative.replace(os.sep, "/")


def verify_target(file: str) -> None:
    """Raise UserError where a baseline would be written over something else."""
    try:
        data = read_whole(file).removeprefix(BOM_UTF8).strip()
    except FileNotFoundError:
        return
    except OSError as error:
        raise UserError(
            f"{file} cannot be written over: {error.strerror}.", "Name another file."
        ) from error
    # A merge that left its marks makes a baseline no other file.
    if data and not (data.startswith((b"{", b"<<<<<<<")) and _VERSION_KEY.encode() in data):
        raise UserError(
            f"{file} is no baseline, so it is not written over.", "Name another file, or delete it."
        )


def count_listed(file: str) -> int | None:
    """Return how many findings a baseline file lists, None where it is no baseline."""
    try:
        listing = _parse_text(file, _read_text(file))
    except UserError:
        return None
    return sum(counts.total() for counts in listing.trees.values())


def baseline_text(file: str, trees: Iterable[CheckedTree]) -> str:
    """Return a baseline at ``file`` that lists what is to be shown of the trees."""
    listing = _Listing({}, {})
    for tree in trees:
        listing.names.update((finding.code, finding.name) for finding in tree.findings)
        counts = Counter(entry for _, entry in _identify_findings(tree.findings, tree.text_of))
        key = _tree_key(file, tree.root)
        # A link may lead to a tree that was checked already.
        listing.trees[key] = listing.trees.get(key, Counter()) | counts
    return _format_listing(listing)


def pruned_text(file: str, trees: Iterable[CheckedTree]) -> str:
    """Return the baseline at ``file`` without what was not found any more in the trees."""
    listing = _parse_text(file, _read_text(file))
    stale: dict[str, Baseline] = {}
    for tree in trees:
        key = _tree_key(file, tree.root)
        stale[key] = stale.get(key, Counter()) | Counter(tree.stale)
    for key, counts in stale.items():
        listing.trees[key] = listing.trees[key] - counts
    return _format_listing(listing)


def _format_listing(listing: _Listing) -> str:
    """Return the text of a baseline: an entry a line, sorted."""
    parts = []
    for key, counts in sorted(listing.trees.items()):
        rows = [
            {
                "path": path,
                "code": code,
                "name": listing.names.get(code, ""),
                "line": line,
                "count": count,
            }
            for (path, code, line), count in sorted(counts.items())
        ]
        lines = ",\n".join(f"      {dumps(row, None)}" for row in rows)
        parts.append(f"    {dumps(key)}: [\n{lines}\n    ]" if rows else f"    {dumps(key)}: []")
    body = ",\n".join(parts)
    return f'{{\n  "{_VERSION_KEY}": {VERSION},\n  "trees": {{\n{body}\n  }}\n}}\n'
