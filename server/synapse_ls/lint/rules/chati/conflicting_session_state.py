"""A session of Chati.dev says two things about the state of the project.

## What it does

Reports in `.chati/session.yaml`: a `mode` that governs otherwise than `project.state`, a
`project.state` beyond planning without any `mode`, two different project types, and agents that
have completed in one place and not in another.

## Why it matters

The parts of Chati.dev read different fields. What is in `project.state` counts in a block; its
hooks read `mode`, so they may forbid what the agent was asked to do.

## Example

```bad
-- chati.dev/config.yaml --
version: "2.0.1"
-- .chati/session.yaml --
project: {name: Board, type: greenfield, state: build}
current_agent: ""
language: en
execution_mode: interactive
```

```good
-- chati.dev/config.yaml --
version: "2.0.1"
-- .chati/session.yaml --
mode: build
project: {name: Board, type: greenfield, state: build}
current_agent: ""
language: en
execution_mode: interactive
```

## Evidence

mateusmetzker/Chati.dev: the installer writes `project.state` alone, the session manager both, the
writer of pipeline states `mode` alone; the hooks of v3.2.5 read `mode`.

## Fix

A `mode` that is missing is added, the same as `project.state`.
"""

from collections.abc import Iterator

from synapse_ls.formats.chati.session_file import DEFAULT_MODE, MODE_OF_STATE, SessionView
from synapse_ls.lint.fixes import single_edit_fix
from synapse_ls.lint.lint_rule import FileFacts
from synapse_ls.text.finding import Finding, Related
from synapse_ls.text.span import Span


def check(facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each conflict in a session, at the value that does not count."""
    if not isinstance(view := facts.document, SessionView):
        return
    for conflict in view.conflicts:
        counts = conflict.effective
        yield Finding(
            conflict.other.span,
            f"The {conflict.subject} is `{conflict.other.value}` here and `{counts.value}` in "
            "another place of the file, which counts.",
            "Make both places agree.",
            related=(Related(facts.path, counts.span, "This counts."),),
        )
    state = view.state.value
    if view.lacks_mode and MODE_OF_STATE.get(state, DEFAULT_MODE) != DEFAULT_MODE:
        title, fix = f"Add `mode: {state}`", None
        if view.root and view.root.style == "block":
            span = Span(view.root.span.start, view.root.span.start)
            fix = single_edit_fix(facts, title, span, f"mode: {state}\n", safe=True)
        yield Finding(
            view.state.span,
            f"The project is in `{state}` and there is no `mode`, which is what Chati.dev's hooks "
            "read, so they go on as in planning and refuse changes of code.",
            f"Add `mode: {state}`.",
            fix,
        )
