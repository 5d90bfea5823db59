"""Every lens provider; one line adds one."""

from __future__ import annotations

from collections.abc import Mapping

from synapse_ls.ide.lenses import cases, places, preview, summary, used
from synapse_ls.ide.lenses.lens import Lens, Provider, Told
from synapse_ls.ide.view import View
from synapse_ls.text.span import Span

PROVIDERS: Mapping[str, Provider] = {
    "domain": Provider(summary.domains, summary.of_domain),
    "bracket": Provider(places.brackets, summary.of_bracket),
    "squad": Provider(places.squads, summary.of_squad),
    "used": Provider(places.defined, used.tell),
    "preview": Provider(preview.find, preview.tell),
    "test": Provider(cases.find, cases.tell),
    "case": Provider(cases.find, cases.show),
}
"""Name -> provider; on one line lenses stand in this order."""


def lenses(view: View, path: str) -> tuple[Lens, ...]:
    """The lenses of a file, in text order, not yet worked out."""
    facts = view.tree.snapshot.facts(path)
    if facts is None or not facts.read:
        return ()
    found = [
        Lens(_on_line(facts.text, span), name, subject)
        for name, provider in PROVIDERS.items()
        for span, subject in provider.find(view, facts)
    ]
    return tuple(sorted(found, key=lambda lens: lens.span.start))


def told(view: View, path: str, provider: str, subject: str) -> Told | None:
    """What a lens says; None where what it was about is gone."""
    facts = view.tree.snapshot.facts(path)
    known = PROVIDERS.get(provider)
    return known.tell(view, facts, subject) if known and facts else None


def _on_line(text: str, span: Span) -> Span:
    """A span without what follows its first line: a lens stands above one line."""
    cut = len(span.cut(text).split("\n", 1)[0].split("\r", 1)[0])
    return Span(span.start, span.start + cut)
