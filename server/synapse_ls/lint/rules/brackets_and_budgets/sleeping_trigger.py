"""Triggers of the manifest have no effect while the context window is fresh.

## What it does

Reports, once in the root's manifest, active domains, those of squads too, with a trigger or
keywords whose layer is inactive in the first bracket of the profile.

## Why it matters

On a large window the first bracket can last for hundreds of thousands of tokens. A workflow, a
keyword or a squad that is at hand all that time activates nothing.

## Example

```bad
-- .synapse/config.toml --
profile = "synapse"
-- .synapse/manifest --
TESTING_STATE=active
TESTING_RECALL=unit test
-- .synapse/testing --
TESTING_RULE_0=Write the failing test first.
```

```good
-- .synapse/config.toml --
profile = "synapse-live"
-- .synapse/manifest --
TESTING_STATE=active
TESTING_RECALL=unit test
-- .synapse/testing --
TESTING_RULE_0=Write the failing test first.
```

## Evidence

SYNAPSE Context Brackets: with 60 % of the window or more, the layers of workflow, task, squad and
keyword are not active. The SYNAPSE reference switched them off altogether in its default mode.
`synapse-live` has the same budgets and activates these layers in every bracket; whether a tree
wants that is for its owner to say, so nothing but the editor's own action writes it."""

from collections.abc import Iterable, Iterator, Sequence

from synapse_ls.engine.profiles import profile_names
from synapse_ls.engine.reason_phrases import LAYER_NAMES
from synapse_ls.lint.domain_triggers import domain_layers
from synapse_ls.lint.lint_rule import FileFacts, Tree
from synapse_ls.lint.tree_lookups import first_line_span, tree_profile
from synapse_ls.text.finding import Finding
from synapse_ls.text.phrases import join_names
from synapse_ls.workspace.tree_domains import Domain
from synapse_ls.workspace.tree_folders import CONFIG

LIVE_PROFILE = "synapse-live"


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for the manifest where triggers of domains sleep while the
    window is fresh.
    """
    if facts.path != tree.manifest_path:
        return
    sleeping = find_sleeping_domains(tree, tree.domains)
    # Where the profile in use is not the one that the configuration asks for other rules report.
    config, config_facts = tree.snapshot.config, tree.snapshot.facts(CONFIG)
    problems = config_facts.problems if config_facts else ()
    is_broken = any(problem.kind == "invalid-toml" for problem in problems)
    if not sleeping or is_broken or config.profile not in ("", *profile_names(config.profiles)):
        return
    spans = (d.declaration.span for d in sleeping if d.declaration and not d.squad)
    yield Finding(
        next(spans, first_line_span(facts)),
        f"{describe_sleep(tree, sleeping)}.",
        f"Run `synapse profile use {LIVE_PROFILE}`, if that is not what you want.",
    )


def find_sleeping_domains(tree: Tree, domains: Iterable[Domain]) -> list[Domain]:
    """Return those of ``domains`` whose layers all sleep in the first bracket."""
    profile = tree_profile(tree)
    first = profile.brackets[0]
    if all(layer in first.layers for layer, _ in profile.layers):
        return []
    served_domains = (domain for domain in domains if domain.file and domain.is_active)
    return [
        domain
        for domain in served_domains
        if (layers := domain_layers(domain)) and layers.isdisjoint(first.layers)
    ]


def describe_sleep(tree: Tree, sleeping: Sequence[Domain]) -> str:
    """Return which of these domains sleep and why, as a sentence without a full stop."""
    first = tree_profile(tree).brackets[0]
    layers = sorted({layer for domain in sleeping for layer in domain_layers(domain)})
    more = f" and {len(sleeping) - 1} more" if len(sleeping) > 1 else ""
    kinds = f"{layers[0]} ({LAYER_NAMES[layers[0]]})" if len(layers) == 1 else join_names(layers)
    state = f"{kinds} is inactive" if len(layers) == 1 else f"{kinds} are inactive"
    return (
        f"{sleeping[0].label}{more} cannot apply in {first.name} ({first.label} left): with "
        f"Synapse LS, {state}"
    )
