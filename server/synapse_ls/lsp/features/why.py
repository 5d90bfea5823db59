"""``synapse/why``: what becomes of a rule, a domain or a memory, with the editor's buffers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pygls.exceptions import JsonRpcInvalidParams

from synapse_ls.ide.why import why_at
from synapse_ls.lsp.answers import answer
from synapse_ls.lsp.asked import place_of, site_of
from synapse_ls.lsp.evidence import WhyAnswer
from synapse_ls.lsp.refusal import refusal, refusing
from synapse_ls.service.lookup import fate, find
from synapse_ls.service.remembered import find_memories
from synapse_ls.workspace.kinds import FileKind

if TYPE_CHECKING:
    from synapse_ls.lsp.app import Server
    from synapse_ls.lsp.custom import WhyParams
    from synapse_ls.lsp.look import Look
    from synapse_ls.service.lookup import Found


async def handle(ls: Server, _: str, params: WhyParams) -> dict[str, Any] | None:
    """The accounts of what is asked about."""
    prompt = params.prompt or ""
    if params.rule is not None:
        rule = params.rule
        root, _path = await place_of(ls, params.uri)
        view = (await site_of(ls, root)).view

        def named() -> dict[str, Any]:
            block = view.block(prompt=prompt)
            with refusing():
                found = find(view.plan, block, rule, session=view.request.session)
            return _answer(found, block.situation.bracket.name, root.path)

        return await ls.reader.run(named)
    if params.uri is None or params.position is None:
        raise JsonRpcInvalidParams("synapse/why needs a rule, or a uri and a position.")
    position = params.position

    def here(look: Look) -> dict[str, Any]:
        block = look.view.block(prompt=prompt)
        found: list[Found] = why_at(look.view, block, look.facts, look.map.offset(position))
        if look.facts.kind is FileKind.MEMORY:
            plan, session = look.view.plan, look.view.request.session
            found = [*find_memories(plan, block, look.facts.path, session=session)]
        if not found:
            raise _nothing()
        return _answer(found, block.situation.bracket.name, look.root)

    told = await ls.look(params.uri, here)
    if told is None:
        raise _nothing()
    return told


def _nothing() -> Exception:
    return refusal(
        "There is no rule, domain or memory at this place.",
        "Put the caret on a rule, on a domain in the manifest, or into a memory.",
    )


def _answer(found: list[Found], bracket: str, root: str) -> dict[str, Any]:
    return answer(WhyAnswer, {"bracket": bracket, "accounts": list(map(_account, found))}, root)


def _account(hit: Found) -> dict[str, Any]:
    domain, rule = hit
    rendered, told = fate(hit)
    return {
        "key": rule.key if rule else None,
        "domain": domain.label,
        "layer": domain.layer or None,
        "text": rule.text if rule else None,
        "rendered": rendered,
        **told.report(),
        "tokens": rule.tokens if rule else sum(one.tokens for one in domain.rules),
        "file": rule.file if rule else domain.manifest,
        "line": rule.line if rule else domain.line,
    }
