"""A domain has a trigger or an exclusion that cannot have an effect.

## What it does

Reports

- `_RECALL`, `_EXCLUDE`, `_PATHS`, `_EVERY_N_TURNS` and `_ON_TOKENS` of a domain that is always on;
- these and the triggers of a built-in domain (`CONSTITUTION`, `GLOBAL`, `CONTEXT`, `COMMANDS`),
  which has a place of its own;
- where another trigger activates the domain, an `_EXCLUDE` without a `_RECALL` that it could stop.

## Why it matters

Whoever wrote the line expects it to decide when the rules are injected. They are injected, or left
out, all the same.

## Example

```bad
-- .synapse/manifest --
TESTING_STATE=active
TESTING_ALWAYS_ON=true
TESTING_RECALL=unit test
-- .synapse/testing --
TESTING_RULE_0=Write the failing test first.
```

```good
-- .synapse/manifest --
TESTING_STATE=active
TESTING_RECALL=unit test
-- .synapse/testing --
TESTING_RULE_0=Write the failing test first.
```

## Evidence

ADR-001 A6 and CARL v1: an always-on domain is injected with every prompt and never matched;
exclusion stops recall and nothing else.

## Fix

The line is deleted. What is injected stays the same, but that an agent whom only an
`_AGENT_TRIGGER` names is no longer known: whether that line goes is for a person to say. An
`_EXCLUDE` stays, because its `_RECALL` may be what is missing, and so do lines of a domain that has
others which cannot be read. Nothing is deleted from `carl.json`, where a value may take several
lines."""

from collections.abc import Iterator

from synapse_ls.formats.manifest import DomainDeclaration, Manifest, ManifestEntry
from synapse_ls.lint import domain_triggers, fixes
from synapse_ls.lint.lint_rule import FileFacts
from synapse_ls.text.finding import Finding
from synapse_ls.text.text_edit import with_line_break
from synapse_ls.workspace.tree_folders import ROOT_MANIFESTS

_RECALL_SETTINGS = ("RECALL", "EXCLUDE", "PATHS", "EVERY_N_TURNS", "ON_TOKENS")
_ID_SETTINGS = ("AGENT_TRIGGER", "WORKFLOW_TRIGGER")  # an agent goes by what a trigger names
_TRIGGER_SETTINGS = (*_RECALL_SETTINGS, *_ID_SETTINGS)
_REMEDY = "Write the `_RECALL`, or delete the line."
_JSON_REMEDY = "Take the property out, with its value."
_BUILTIN_REASONS = {
    "CONSTITUTION": "CONSTITUTION is in every block",
    "GLOBAL": "GLOBAL is in every block",
    "CONTEXT": "CONTEXT is in every block",
    "COMMANDS": "COMMANDS is asked for by star-commands alone",
}


def check(facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each trigger or exclusion without an effect, at its key."""
    if not isinstance(manifest := facts.document, Manifest):
        return
    is_root, is_json = facts.path in ROOT_MANIFESTS, facts.path.endswith(".json")
    for declaration in manifest.domains.values():
        for entry, why in _idle_settings(declaration, is_root=is_root):
            if not declaration.is_active and not (is_root and declaration.name == "CONSTITUTION"):
                break  # the constitution cannot be switched off
            if is_json:
                # The finding about a setting of `carl.json`, called as that file calls it.
                name = entry.setting.lower()
                message = f"`{name}` of {declaration.name} has no effect, because {why}."
                yield Finding(entry.key.span, message, _JSON_REMEDY)
                continue
            line = with_line_break(facts.text, entry.span)
            # A domain that is mentioned nowhere else would be gone with the line.
            is_kept = (
                len(declaration.entries) == 1
                or (entry.setting == "EXCLUDE" and not declaration.always_on)
                or domain_triggers.has_unreadable_line(facts, declaration.name)
            )
            names = entry.setting in _ID_SETTINGS
            what = (
                f"does not decide whether {declaration.name} comes in" if names else "has no effect"
            )
            yield Finding(
                entry.key.span,
                f"{entry.key.value} {what}, because {why}.",
                _REMEDY
                if entry.setting == "EXCLUDE" and why.endswith("stop")
                else "Delete the line.",
                None
                if is_kept
                else fixes.single_edit_fix(facts, "Delete the line", line, "", safe=not names),
            )


def _idle_settings(
    declaration: DomainDeclaration, *, is_root: bool
) -> Iterator[tuple[ManifestEntry, str]]:
    """Yield the settings of a domain that have no effect, each with the reason."""
    name, entries = declaration.name, declaration.entries
    settings: tuple[str, ...]
    if is_root and name in _BUILTIN_REASONS:
        settings, why = _TRIGGER_SETTINGS, _BUILTIN_REASONS[name]
    elif "ALWAYS_ON" in entries and declaration.always_on:
        settings, why = _RECALL_SETTINGS, f"{name} is always on"
    elif (
        "EXCLUDE" in entries
        and not ("RECALL" in entries and entries["RECALL"].line.items)
        # A domain that nothing brings in is for another rule.
        and (not is_root or domain_triggers.has_trigger(declaration))
    ):
        settings, why = ("EXCLUDE",), f"{name} has no `_RECALL` that it could stop"
    else:
        return
    for setting in settings:
        if (entry := entries.get(setting)) and entry.word:
            yield entry, why
