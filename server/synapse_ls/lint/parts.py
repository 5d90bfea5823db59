"""CARL's one file, seen as the files that it takes the place of.

``carl.json`` is manifest, rules, star-commands and brackets in one. Rules that look at what is said, and
not at how a file of lines says it, look at each part as at a file of its own; their edits are for lines
and are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from synapse_ls.formats.carl.document import CarlDocument
from synapse_ls.lint.diagnostic import Finding
from synapse_ls.lint.rule import Findings
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.kinds import FileKind

OF_CONTENT = frozenset(
    {
        "budget-overflow",
        "common-keyword",
        "contained-keyword",
        "dead-keyword",
        "dormant-domain",
        "instruction-override",
        "long-rule",
        "never-fits",
        "output-over-limit",
        "recall-without-effect",
        "repeated-rule",
        "several-rules-in-one",
        "shadowed-recall",
        "short-keyword",
    }
)
"""The rules that look at what is said."""


def parts(facts: FileFacts) -> Iterator[FileFacts]:
    """The parts of a file as files; none where it is no file of CARL v2."""
    document = facts.document
    if isinstance(document, CarlDocument):
        for kind, part in (
            (FileKind.MANIFEST, document.manifest),
            (FileKind.RULES, document.rules),
            (FileKind.COMMANDS, document.commands),
            (FileKind.CONTEXT, document.context),
        ):
            yield replace(facts, kind=kind, document=part, problems=())


def without_fixes(found: Findings) -> Iterator[Finding]:
    """The findings as what somebody has to see to."""
    return (replace(finding, fix=None) for finding in found)
