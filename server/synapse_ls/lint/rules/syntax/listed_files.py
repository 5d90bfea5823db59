"""The manifest lists rule files by their paths.

## What it does

Reports lines such as `agent-dev=.synapse/agent-dev`, all of a manifest at once.

## Why it matters

The lines are read as what they mean: each file is an active domain; a name with `agent-` or `workflow-` is
its trigger, and any other domain is always on. Other readers of the format skip such lines, and
settings such as `RECALL` have no place in them.

## Example

```bad
-- .synapse/manifest --
agent-dev=.synapse/agent-dev
-- .synapse/agent-dev --
AGENT_DEV_RULE_0=Write the failing test first.
```

```good
-- .synapse/manifest --
AGENT_DEV_STATE=active
AGENT_DEV_AGENT_TRIGGER=dev
-- .synapse/agent-dev --
AGENT_DEV_RULE_0=Write the failing test first.
```

## Evidence

Manifests of this shape stand in public repositories; the reference reader (`domain-loader.js`,
SynkraAI/aios-core) takes only keys that end in a setting.

## Fix

Every such line is written as the settings that it amounts to. What is injected stays what it is.
"""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.formats.manifest import Manifest, ManifestEntry
from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Finding, Fix, Severity
from synapse_ls.text.text_edit import TextEdit
from synapse_ls.workspace.file_facts import FileFacts


def _write_settings(facts: FileFacts, _: Finding) -> Fix | None:
    if not isinstance(facts.document, Manifest):
        return None
    edits = tuple(
        (facts.path, TextEdit(entry.span, "\n".join(_setting_lines(facts.document, entry))))
        for entry in facts.document.listed
    )
    return Fix("Write the settings of the listed files", True, edits)


def _setting_lines(manifest: Manifest, entry: ManifestEntry) -> Iterator[str]:
    """Yields the lines that a listed file amounts to, without those that the manifest has."""
    if entry.line.listed is None:
        return
    domain = entry.line.listed.domain
    entries = manifest.domains[domain].entries
    if "STATE" not in entries:
        yield f"{domain}_STATE=active"
    for setting, found in entries.items():
        if found.span == entry.span:
            yield f"{domain}_{setting}={found.word}"


RULE = ProblemRule(
    code="SYN133",
    name="listed-files",
    severity=Severity.INFO,
    claims=("listed-files",),
    fix=_write_settings,
)
