"""This module is the registry of code lenses: it lists every provider; one line adds one. It finds
the lenses of a file and resolves them.
"""

from __future__ import annotations

from collections.abc import Mapping

from synapse_ls.ide.lenses import (
    code_lens,
    history_lens,
    preview_lens,
    summary_lens,
    tree_test_lens,
    usage_lens,
)
from synapse_ls.ide.lenses.code_lens import Lens, LensProvider, LensTitle
from synapse_ls.ide.tree_view import View
from synapse_ls.text.span import Span

PROVIDERS: Mapping[str, LensProvider] = {
    "domain": LensProvider(summary_lens.summarized_domains, summary_lens.domain_summary),
    "bracket": LensProvider(code_lens.bracket_places, summary_lens.bracket_summary),
    "squad": LensProvider(code_lens.squad_places, summary_lens.squad_summary),
    "history": LensProvider(history_lens.audited_rules, history_lens.history_title),
    "used": LensProvider(code_lens.definition_places, usage_lens.usage_title),
    "preview": LensProvider(preview_lens.preview_places, preview_lens.preview_title),
    "test": LensProvider(tree_test_lens.case_places, tree_test_lens.case_result),
    "case": LensProvider(tree_test_lens.case_places, tree_test_lens.case_preview),
}
"""Name -> provider; on one line lenses stand in this order."""


def code_lenses(view: View, path: str) -> tuple[Lens, ...]:
    """Returns the lenses that all providers of the registry have for a file, in text order, not yet
    resolved.
    """
    facts = view.tree.snapshot.facts(path)
    if facts is None or not facts.is_read:
        return ()
    found = [
        Lens(_first_line_span(facts.text, span), name, subject)
        for name, provider in PROVIDERS.items()
        for span, subject in provider.find(view, facts)
    ]
    return tuple(sorted(found, key=lambda lens: lens.span.start))


def resolve_lens(view: View, path: str, provider: str, subject: str) -> LensTitle | None:
    """Returns the text of a lens, by its provider in the registry; None where what it was about is
    gone.
    """
    facts = view.tree.snapshot.facts(path)
    known = PROVIDERS.get(provider)
    return known.resolve(view, facts, subject) if known and facts else None


def _first_line_span(text: str, span: Span) -> Span:
    """Returns a span without what follows its first line: a lens stands above one line."""
    cut = len(span.cut(text).split("\n", 1)[0].split("\r", 1)[0])
    return Span(span.start, span.start + cut)
