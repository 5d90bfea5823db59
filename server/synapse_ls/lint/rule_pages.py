r"""Parse the docstring of a rule module into its page, and render it for docs/rules and as data.

The first line is the summary; ``## `` opens a section, those of `SECTIONS` in that order. A fence
marked ``bad`` or ``good`` has a file tree in txtar (golang.org/x/tools/txtar): ``-- path --``
begins a file, ``-- path -> target --`` is a link, ``-- path ×30 --`` a file of 30 lines like the
first, whose every ``0`` counts on, ``-- path (666) --`` has a mode, and ``\xNN`` is one byte.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from synapse_ls.lint import rules
from synapse_ls.lint.lint_rule import LintRule, ProblemRule
from synapse_ls.lint.lint_runner import lint_tree
from synapse_ls.lint.rule_registry import FAMILIES, family_of_code, rule_file, rule_module
from synapse_ls.text.decoding import decode_text
from synapse_ls.workspace import path_classification, tree_folders
from synapse_ls.workspace.file_facts import analyze_file
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.snapshot import Snapshot

SECTIONS = ("What it does", "Why it matters", "Example", "Evidence")
OPTIONAL_SECTIONS = ("Fix",)
_ALL_SECTIONS = (*SECTIONS, *OPTIONAL_SECTIONS)

_FENCE = re.compile(r"^```(bad|good)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_MEMBER = re.compile(r"^-- (\S+)(?: -> (\S+)| ×(\d+)| \(([0-7]{3})\))? --$")
_BYTE = re.compile(rb"\\x([0-9a-fA-F]{2})")


@dataclass(frozen=True, slots=True)
class Example:
    """A small file tree: path -> text as the page shows it, and link path -> target.

    ``repeats``: path -> how many lines of the shown kind the file has. ``modes``: path -> the
    permissions of the file, where they matter.
    """

    files: Mapping[str, str]
    links: Mapping[str, str]
    repeats: Mapping[str, int]
    modes: Mapping[str, int]

    def content(self, path: str) -> bytes:
        r"""Return the bytes of a file of the example, with repeated lines and ``\xNN`` bytes
        written out.
        """
        if path in self.repeats:
            line = self.files[path]
            return "".join(line.replace("0", str(i)) for i in range(self.repeats[path])).encode()
        return _BYTE.sub(lambda m: bytes.fromhex(m[1].decode()), self.files[path].encode())


@dataclass(frozen=True, slots=True)
class RulePage:
    """The parsed docstring of a rule module: summary, sections and both examples.

    ``sections`` are in the order of the page, without their headings.
    """

    summary: str
    sections: Mapping[str, str]
    bad: Example
    good: Example


def parse_page(docstring: str) -> RulePage:
    """Parse the docstring of a rule module into its page.

    Raises ValueError where there is not exactly one bad and one good example, or where a section is
    missing, empty, unknown or not in its place.
    """
    # A heading in an example is one of its file, not of the page.
    text = _FENCE.sub(lambda match: match[0].replace("\n## ", "\n\0## "), docstring.strip() + "\n")
    head, *rest = re.split(r"^## (.+)\n", text, flags=re.MULTILINE)
    sections = {
        title.strip(): body.replace("\0", "").strip()
        for title, body in zip(rest[::2], rest[1::2], strict=True)
    }
    examples = {match[1]: _parse_example(match[2]) for match in _FENCE.finditer(docstring)}
    if examples.keys() != {"bad", "good"}:
        raise ValueError(f"{head.strip()!r} needs one bad and one good example")
    expected = [title for title in _ALL_SECTIONS if title in SECTIONS or title in sections]
    if missing := [title for title in expected if not sections.get(title)]:
        raise ValueError(f"{head.strip()!r} says nothing under {_headings(missing)}")
    if list(sections) != expected:
        raise ValueError(
            f"{head.strip()!r} has {_headings(sections)}, where a page has {_headings(expected)}"
        )
    return RulePage(head.strip(), sections, examples["bad"], examples["good"])


def _headings(titles: Iterable[str]) -> str:
    return ", ".join(f"## {title}" for title in titles)


def render_section(text: str) -> str:
    """Return the text of a section of a rule's page as Markdown, with each example shown as its
    files.
    """

    def render(match: re.Match[str]) -> str:
        example = _parse_example(match[2])
        parts = [f"{match[1].capitalize()}:"]
        for path, content in example.files.items():
            more = example.repeats.get(path, 1) - 1
            note = f" (and {more} more lines like this one)" if more else ""
            note += f" (mode {example.modes[path]:o})" if path in example.modes else ""
            parts.append(f"`{path}`{note}\n\n```text\n{content.rstrip()}\n```")
        parts += (f"`{path}` is a link to `{target}`." for path, target in example.links.items())
        return "\n\n".join(parts)

    return _FENCE.sub(render, text)


def _parse_example(body: str) -> Example:
    """Parse the body of an example fence (txtar) into its files, links and modes."""
    files: dict[str, str] = {}
    links: dict[str, str] = {}
    repeats: dict[str, int] = {}
    modes: dict[str, int] = {}
    path = ""
    for line in body.splitlines(keepends=True):
        if (member := _MEMBER.match(line.rstrip("\n"))) and member[2]:
            links[member[1]] = member[2]
        elif member:
            path = member[1]
            files[path] = ""
            if member[3]:
                repeats[path] = int(member[3])
            if member[4]:
                modes[path] = int(member[4], 8)
        elif path:
            files[path] += line
        else:
            raise ValueError(f"an example must begin with a path, not with {line!r}")
    return Example(files, links, repeats, modes)


def rule_page(rule: LintRule) -> RulePage:
    """Return the parsed page of a rule, from the docstring of its module, or from the Markdown file
    beside the table that it is in; ValueError names the rule.
    """
    if isinstance(rule, ProblemRule):
        page = f"{rules.__path__[0]}/{rule_file(family_of_code(rule.code), rule)}"
        with open(page, encoding="utf-8") as file:  # noqa: PTH123 - the linter goes without pathlib
            text = file.read()
    else:
        text = rule_module(rule).__doc__ or ""
    try:
        return parse_page(text)
    except ValueError as error:
        raise ValueError(f"The page of {rule.name}: {error}.") from None


def family_title(rule: LintRule) -> str:
    """Return the title that pages of rules have for the rule's family."""
    return FAMILIES[family_of_code(rule.code)].title


def page_markdown(rule: LintRule) -> str:
    """Return the documentation page of a rule as Markdown."""
    page = rule_page(rule)
    facts = [f"Severity: {rule.severity.value}."]
    facts += ["Has a fix."] if "Fix" in page.sections else []
    facts += [] if rule.default else ["Off unless selected."]
    parts = [f"# {rule.name} ({rule.code})", page.summary, " ".join(facts)]
    for title, text in page.sections.items():
        parts += [f"## {title}", render_section(text)]
    return "\n\n".join(parts) + "\n"


SAFE, UNSAFE = "safe", "unsafe"


def catalogue_entry(rule: LintRule) -> dict[str, Any]:
    """Return the catalogue entry of a rule: everything about it as plain values, in the order of
    its page.

    ``fix`` is "safe", "unsafe" or None; ``examples`` has the files of the wrong and of the right
    way, path -> text; ``evidence`` is the public source that the rule rests on.
    """
    page = rule_page(rule)
    return {
        "code": rule.code,
        "name": rule.name,
        "family": family_title(rule),
        "severity": rule.severity.value,
        "default": rule.default,
        "fix": fix_safety(rule),
        "summary": page.summary,
        "evidence": page.sections["Evidence"],
        "examples": {"bad": dict(page.bad.files), "good": dict(page.good.files)},
        "sections": {title: render_section(text) for title, text in page.sections.items()},
    }


def fix_safety(rule: LintRule) -> str | None:
    """Return what the page of a rule says of its fix: "safe" or "unsafe", tried on its bad example;
    None if it has no fix.
    """
    page = rule_page(rule)
    if "Fix" not in page.sections:
        return None
    findings = lint_tree(_example_tree(page.bad), select=(rule.code,))
    fixes = [diagnostic.fix.safe for diagnostic in findings if diagnostic.fix]
    return SAFE if all(fixes) else UNSAFE


def _example_tree(example: Example) -> Tree:
    """Return the tree that an example's files make. The configuration is read first, since it says
    where the other files are.
    """
    snapshot = Snapshot()
    for path in sorted(example.files, key=lambda path: path != tree_folders.CONFIG):
        if (kind := path_classification.classify_path(path, snapshot.config.paths)) is not None:
            read = decode_text(example.content(path))
            facts = analyze_file(path, kind, read.text, problems=read.problems)
            snapshot = snapshot.replace_file(facts.path, facts)[0]
    return Tree(snapshot)
