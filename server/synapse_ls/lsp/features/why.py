"""This module answers ``synapse/why``: why a rule, a domain or a memory is in the block or left
out, with the editor's buffers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pygls.exceptions import JsonRpcInvalidParams

from synapse_ls.ide.position_lookup import accounts_at
from synapse_ls.lsp.custom_messages import encode_report
from synapse_ls.lsp.feature_context import (
    find_place,
    refuse_core_errors,
    request_refusal,
    tree_context,
)
from synapse_ls.queries.memory_report import find_memories
from synapse_ls.queries.rule_lookup import WhyReport, account_report, find_rules
from synapse_ls.workspace.file_kinds import FileKind

if TYPE_CHECKING:
    from synapse_ls.lsp.custom_messages import WhyParams
    from synapse_ls.lsp.feature_context import FileContext
    from synapse_ls.lsp.language_server import Server
    from synapse_ls.queries.rule_lookup import LookupHit


async def handle(ls: Server, _: str, params: WhyParams) -> dict[str, Any] | None:
    """Answers ``synapse/why``: returns the accounts that say why what is asked about is in the
    block or left out.
    """
    prompt = params.prompt or ""
    if params.rule is not None:
        rule = params.rule
        root, _path = await find_place(ls, params.uri)
        view = (await tree_context(ls, root)).view

        def named() -> dict[str, Any]:
            block = view.block(prompt=prompt)
            with refuse_core_errors():
                found = find_rules(view.plan, block, rule, session=view.request.session)
            return _why_answer(found, block.situation.bracket.name, root.path)

        return await ls.reader.run(named)
    if params.uri is None or params.position is None:
        raise JsonRpcInvalidParams("synapse/why needs a rule, or a uri and a position.")
    position = params.position

    def here(look: FileContext) -> dict[str, Any]:
        block = look.view.block(prompt=prompt)
        found: list[LookupHit] = accounts_at(
            look.view, block, look.facts, look.map.offset(position)
        )
        if look.facts.kind is FileKind.MEMORY:
            plan, session = look.view.plan, look.view.request.session
            found = [*find_memories(plan, block, look.facts.path, session=session)]
        if not found:
            raise _nothing_found()
        return _why_answer(found, block.situation.bracket.name, look.root)

    told = await ls.query_file(params.uri, here)
    if told is None:
        raise _nothing_found()
    return told


def _nothing_found() -> Exception:
    return request_refusal(
        "There is no rule, domain or memory at this place.",
        "Put the caret on a rule, on a domain in the manifest, or into a memory.",
    )


def _why_answer(found: list[LookupHit], bracket: str, root: str) -> dict[str, Any]:
    accounts = [account_report(hit, root) for hit in found]
    answer: dict[str, Any] = encode_report(WhyReport(bracket=bracket, accounts=accounts), root)
    return answer
