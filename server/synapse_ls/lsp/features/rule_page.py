"""This module answers ``synapse/rulePage``: the documentation page of a lint rule, as of this server."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from synapse_ls.lsp.custom_messages import encode_report
from synapse_ls.lsp.feature_context import request_refusal

if TYPE_CHECKING:
    from synapse_ls.lsp.custom_messages import RulePageParams
    from synapse_ls.lsp.language_server import Server


@dataclass(frozen=True, kw_only=True)
class RulePageReport:
    """The page of a lint rule, as Markdown."""

    code: str
    name: str
    markdown: str


async def handle(ls: Server, _: str, params: RulePageParams) -> dict[str, Any]:
    """Answers ``synapse/rulePage``: returns the page of the rule that a code or a name means."""
    # Whoever reads no page should not wait for what makes them.
    return await ls.reader.run(_report_page, params.rule)


def _report_page(named: str) -> dict[str, Any]:
    from synapse_ls.lint.rule_pages import page_markdown
    from synapse_ls.lint.rule_selection import find_rule

    rule = find_rule(named)
    if rule is None:
        raise request_refusal(f"No rule is called {named}.", "`synapse rule` lists them.")
    report = RulePageReport(code=rule.code, name=rule.name, markdown=page_markdown(rule))
    encoded: dict[str, Any] = encode_report(report)
    return encoded
