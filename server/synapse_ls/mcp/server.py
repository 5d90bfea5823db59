"""The server: what the protocol asks, answered from the tables of tools, prompts and resources."""

from __future__ import annotations

import logging
import shlex
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Any, TypeVar

from mcp import types
from mcp.server.context import CallNext, HandlerResult
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.shared.exceptions import MCPError
from mcp.types.version import MODERN_PROTOCOL_VERSIONS

from synapse_ls.engine.plan import Plan
from synapse_ls.mcp.asking import Asking, Context, Pending
from synapse_ls.mcp.completion import MOST, complete
from synapse_ls.mcp.fields import read_all
from synapse_ls.mcp.prompts.registry import FAMILIES as PROMPTS
from synapse_ls.mcp.resources.registry import FAMILIES as RESOURCES
from synapse_ls.mcp.resources.registry import mime_of, text_of
from synapse_ls.mcp.said import clean
from synapse_ls.mcp.site import Site, site
from synapse_ls.mcp.situation import session_of
from synapse_ls.mcp.tools.registry import TOOLS
from synapse_ls.mcp.tools.tool import Given, Tool
from synapse_ls.service.errors import ServiceError
from synapse_ls.service.named_session import own_session
from synapse_ls.service.plans import planned
from synapse_ls.version import VERSION

logger = logging.getLogger(__name__)

T = TypeVar("T")
Paged = types.PaginatedRequestParams | None

INSTRUCTIONS = (
    "Synapse LS knows the rules of this project: get_context gives those that apply to a prompt, "
    "explain and why say what is left out, check finds mistakes in rule files. Where the hook is "
    "registered, each prompt already comes with them."
)
_PAGE = 500  # items of a list that are sent at once
_NOT_FOUND = -32002  # "Resource not found" of the protocols before 2026-07-28


class SynapseServer(Server[Site]):
    """The SDK's server, which says that lists may change."""

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        """What ``initialize`` is answered with."""
        changing = NotificationOptions(prompts_changed=True, resources_changed=True)
        return super().create_initialization_options(
            notification_options or changing, experimental_capabilities, extensions
        )


def server(start: str = "") -> SynapseServer:
    """A server whose tree is looked for from the folder ``start`` upward, "" for the usual places."""

    def lifespan(_: Server[Site]) -> AbstractAsyncContextManager[Site]:
        return site(start)

    made = SynapseServer(
        "synapse",
        version=VERSION,
        title="Synapse LS",
        instructions=INSTRUCTIONS,
        lifespan=lifespan,
        on_list_tools=_list_tools,
        on_call_tool=_call_tool,
        on_list_prompts=_list_prompts,
        on_get_prompt=_get_prompt,
        on_list_resources=_list_resources,
        on_list_resource_templates=_list_templates,
        on_read_resource=_read_resource,
        on_subscribe_resource=_subscribe,
        on_unsubscribe_resource=_unsubscribe,
        on_subscriptions_listen=_listen,
        on_completion=_complete,
    )
    made.middleware.append(_remember)
    made.add_notification_handler(
        "notifications/roots/list_changed", types.NotificationParams, _moved
    )
    return made


async def _remember(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Keep the way to a client that is told of changes without having asked in the same breath."""
    if ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
        ctx.lifespan_context.session = ctx.session
    return await call_next(ctx)


async def _moved(ctx: Context, _: types.NotificationParams) -> None:
    ctx.lifespan_context.place.folders = None


async def _list_tools(_: Context, params: Paged) -> types.ListToolsResult:
    found, cursor = _page([tool.described() for tool in TOOLS.values()], params)
    return types.ListToolsResult(tools=found, next_cursor=cursor)


async def _call_tool(
    ctx: Context, params: types.CallToolRequestParams
) -> types.CallToolResult | types.InputRequiredResult:
    tool = TOOLS.get(params.name)
    if tool is None:
        raise MCPError(
            types.INVALID_PARAMS, f"There is no tool {params.name}. There are {', '.join(TOOLS)}."
        )
    here: Site = ctx.lifespan_context
    asking = Asking(ctx, params)
    try:
        given: Given = read_all(tool.fields, params.arguments or {})
        await here.settle(asking, can_wait=True)
        if tool.changes:
            given = await here.compute(partial(_fixed, here, given))
        await _agreed(here, tool, given, asking)
        run = partial(_run, here, tool, given)
        said = await here.compute(run, safe=not tool.changes)
    except Pending as pending:
        return pending.result
    except MCPError:
        raise
    except Exception as error:
        return types.CallToolResult(content=[_text(_sentence(error))], is_error=True)
    return types.CallToolResult(
        content=[_text(said.text)], structured_content=clean(said.data) if said.data else None
    )


def _run(here: Site, tool: Tool, given: Given) -> Any:
    return tool.run(here.place.tree(), given)


def _fixed(here: Site, given: Given) -> Given:
    """The arguments with the session that they mean now: a person agrees to that one."""
    if "session" not in given:
        return given
    root, said = here.place.tree(), given["session"]
    session = session_of(root, said) if said else own_session(root)[0]
    return {**given, "session": session or said}


async def _agreed(here: Site, tool: Tool, given: Given, asking: Asking) -> None:
    """Have a person say yes to what needs it; ServiceError where nobody does."""
    confirm = tool.confirm
    if confirm is None:
        return
    question = await here.compute(lambda: confirm(here.place.tree(), given))
    answer = await asking.confirm(question) if question else True
    if answer is None:
        by_hand = shlex.join(tool.by_hand(given)) if tool.by_hand else ""
        raise ServiceError(
            f"{tool.name} needs the consent of a person, since the guard of this tree enforces "
            "boundaries, and this client cannot ask for it.",
            f"Have a person run `{by_hand}`." if by_hand else "Have a person do it.",
        )
    if not answer:
        raise ServiceError("The person did not agree, so nothing was changed.", "Go on without it.")


async def _list_prompts(ctx: Context, params: Paged) -> types.ListPromptsResult:
    here = await _settled(ctx)
    await here.updates.follow()
    plan = await here.compute(partial(_plan, here))
    found: dict[str, types.Prompt] = {}
    for family in PROMPTS:
        for offered in family.offered(plan):
            arguments = [
                types.PromptArgument(name=name, description=about, required=False)
                for name, about in offered.arguments
            ]
            prompt = types.Prompt(
                name=clean(offered.name),
                title=clean(offered.title),
                description=clean(offered.about),
                arguments=arguments,
            )
            found.setdefault(offered.name, prompt)
    listed, cursor = _page(list(found.values()), params)
    return types.ListPromptsResult(prompts=listed, next_cursor=cursor)


async def _get_prompt(
    ctx: Context, params: types.GetPromptRequestParams
) -> types.GetPromptResult | types.InputRequiredResult:
    def told(root: str) -> str | None:
        given = params.arguments or {}
        texts = (family.text(root, params.name, given) for family in PROMPTS)
        return next((text for text in texts if text is not None), None)

    found = await _answered(ctx, params, told)
    if isinstance(found, types.InputRequiredResult):
        return found
    if found is None:
        plan = await ctx.lifespan_context.compute(partial(_plan, ctx.lifespan_context))
        names = dict.fromkeys(one.name for family in PROMPTS for one in family.offered(plan))
        sentence = f"There is no prompt {params.name}. There are {', '.join(names)}."
        raise MCPError(types.INVALID_PARAMS, clean(sentence))
    message = types.PromptMessage(role="user", content=_text(found))
    return types.GetPromptResult(messages=[message])


async def _list_resources(ctx: Context, params: Paged) -> types.ListResourcesResult:
    here = await _settled(ctx)
    await here.updates.follow()

    def listed() -> list[types.Resource]:
        plan = _plan(here)
        return [
            types.Resource(
                uri=family.uri(one.key),
                name=one.key or family.name,
                title=one.title,
                description=one.about,
                mime_type=family.mime,
            )
            for family in RESOURCES
            for one in family.listed(plan)
        ]

    found, cursor = _page(await here.compute(listed), params)
    return types.ListResourcesResult(resources=found, next_cursor=cursor)


async def _list_templates(_: Context, params: Paged) -> types.ListResourceTemplatesResult:
    made = [
        types.ResourceTemplate(
            uri_template=family.template,
            name=family.name,
            title=family.title,
            description=family.about,
            mime_type=family.mime,
        )
        for family in RESOURCES
        if family.argument
    ]
    found, cursor = _page(made, params)
    return types.ListResourceTemplatesResult(resource_templates=found, next_cursor=cursor)


async def _read_resource(
    ctx: Context, params: types.ReadResourceRequestParams
) -> types.ReadResourceResult | types.InputRequiredResult:
    uri = str(params.uri)
    found = await _answered(ctx, params, lambda root: text_of(root, uri))
    if isinstance(found, types.InputRequiredResult):
        return found
    if found is None:
        modern = ctx.protocol_version in MODERN_PROTOCOL_VERSIONS
        code = types.INVALID_PARAMS if modern else _NOT_FOUND
        told = (
            f"There is no resource {uri}. There are {', '.join(one.template for one in RESOURCES)}."
        )
        raise MCPError(code, told, {"uri": uri})
    content = types.TextResourceContents(uri=uri, mime_type=mime_of(uri), text=clean(found))
    return types.ReadResourceResult(contents=[content])


async def _subscribe(ctx: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
    here = await _settled(ctx)
    await here.updates.subscribe(str(params.uri))
    return types.EmptyResult()


async def _unsubscribe(ctx: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
    ctx.lifespan_context.updates.unsubscribe(str(params.uri))
    return types.EmptyResult()


async def _listen(
    ctx: Context, params: types.SubscriptionsListenRequestParams
) -> types.SubscriptionsListenResult:
    here = await _settled(ctx)
    return await here.listen(ctx, params)


async def _complete(ctx: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
    here = await _settled(ctx)

    def found() -> list[str]:
        plan = _plan(here)
        return complete(plan, params.argument.name, params.argument.value) if plan else []

    values = await here.compute(found)
    return types.CompleteResult(
        completion=types.Completion(
            values=clean(values[:MOST]), total=len(values), has_more=len(values) > MOST
        )
    )


async def _settled(ctx: Context) -> Site:
    """The site, after the client was asked where it works if that matters."""
    here: Site = ctx.lifespan_context
    await here.settle(Asking(ctx))
    return here


async def _answered(
    ctx: Context, params: types.InputResponseRequestParams, question: Callable[[str], str | None]
) -> str | types.InputRequiredResult | None:
    """What ``question`` says about the root of the tree; MCPError where it cannot be answered."""
    here: Site = ctx.lifespan_context
    try:
        await here.settle(Asking(ctx, params), can_wait=True)
        return await here.compute(lambda: question(here.place.tree()))
    except Pending as pending:
        return pending.result
    except Exception as error:
        raise MCPError(types.INVALID_PARAMS, clean(_sentence(error))) from error


def _plan(here: Site) -> Plan | None:
    """The plan of the tree; None where there is none, and where it cannot be made."""
    root = here.place.root
    try:
        return planned(root).whole().plan if root else None
    except ServiceError as error:
        logger.warning("%s", error)
        return None


def _page(items: Sequence[T], params: Paged) -> tuple[list[T], str | None]:
    """The items that ``params`` ask for, and what to ask with for those behind them."""
    written = (params.cursor if params else None) or "0"
    if not written.isdecimal() or int(written) > len(items):
        raise MCPError(types.INVALID_PARAMS, f"There is no cursor {written}.")
    start = int(written)
    end = start + _PAGE
    return list(items[start:end]), str(end) if end < len(items) else None


def _text(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=clean(text))


def _sentence(error: Exception) -> str:
    """What a model is told of an error: what is wrong, and what to do."""
    sentence = getattr(error, "sentence", "")
    if sentence:
        return f"{sentence} {getattr(error, 'remedy', '')}".strip()
    logger.error("a question failed", exc_info=error)
    told = f"{type(error).__name__}: {error}".rstrip(": ")
    return f"Synapse LS failed where it should not: {told}."
