"""A session of Chati.dev names a hand-off that is not there, or one agent has left two.

## What it does

Reports a `last_handoff` of `.chati/session.yaml` that is neither the path of a hand-off nor an
agent that has left one, and hand-offs that an agent has left in both folders,
`chati.dev/artifacts/handoffs/` and `.chati/artifacts/handoffs/`.

## Why it matters

The next agent begins without what the one before has found out, or with the older of two reports.

## Example

```bad
-- chati.dev/config.yaml --
version: "2.0.1"
-- .chati/session.yaml --
project: {name: Board, type: greenfield, state: planning}
current_agent: ""
language: en
execution_mode: interactive
last_handoff: chati.dev/artifacts/handoffs/brief-handoff.md
```

```good
-- chati.dev/artifacts/handoffs/brief-handoff.md --
# Handoff: brief

## Summary

The core problem is known.
-- .chati/session.yaml --
project: {name: Board, type: greenfield, state: planning}
current_agent: ""
language: en
execution_mode: interactive
last_handoff: chati.dev/artifacts/handoffs/brief-handoff.md
```

## Evidence

mateusmetzker/Chati.dev: Article VIII has hand-offs in `chati.dev/artifacts/handoffs/`, its task
files in `.chati/artifacts/handoffs/`; the session manager writes the agent's name where the schema
has a path."""

from collections.abc import Iterator

from synapse_ls.formats.chati.handoff_file import HandoffDocument
from synapse_ls.formats.chati.session_file import SessionView
from synapse_ls.lint.lint_rule import FileFacts, Tree
from synapse_ls.lint.tree_lookups import first_line_span
from synapse_ls.text.finding import Finding, Related, Severity
from synapse_ls.workspace import chati_places
from synapse_ls.workspace.chati_tree import ChatiTree
from synapse_ls.workspace.tree_folders import is_under


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for a hand-off name that dangles, since no file has it, or for a second
    hand-off of the same name.
    """
    if isinstance(document := facts.document, SessionView):
        written = document.handoff.value.strip()
        chati = ChatiTree(tree)
        if written and not chati.find_handoff(written):
            handoff = chati.find_handoff_by_name(written.replace("\\", "/").rpartition("/")[2])
            yield Finding(
                document.handoff.span,
                f"There is no hand-off `{written}`, so the next agent learns nothing of what was "
                "done.",
                f"Write `{handoff}`."
                if handoff
                else "Write the path of a hand-off, or the name of the agent that has left one.",
            )
    elif isinstance(document, HandoffDocument) and is_under(facts.path, chati_places.HANDOFFS[1]):
        other = f"{chati_places.HANDOFFS[0]}/{facts.path.rpartition('/')[2]}"
        if (twin := tree.snapshot.facts(other)) is not None:
            yield Finding(
                first_line_span(facts),
                f"`{other}` is a hand-off of the same name, and it is the one that is injected.",
                "Keep one of them.",
                related=(Related(other, first_line_span(twin), "This one is injected."),),
                own_severity=Severity.INFO,
            )
