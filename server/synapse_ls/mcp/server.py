"""The MCP server for one client on standard input and output, with its tables.

A new tool is a function under `tool` in a module and a line in `TOOLS`.
"""

import logging
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Any, TypeVar

import anyio
from mcp import types
from mcp.server.context import CallNext, HandlerResult
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp.types.version import MODERN_PROTOCOL_VERSIONS

from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.engine.reason_phrases import LAYER_NAMES
from synapse_ls.engine.text_escaping import neutralise_text
from synapse_ls.mcp import check_tools, context_tools, history_tools, memory_tools, session_tools
from synapse_ls.mcp.client_connection import (
    ClientConnection,
    ClientRequests,
    InputPending,
    RepairedStream,
    RequestContext,
    open_connection,
    require_consent,
)
from synapse_ls.mcp.prompts import list_prompts, prompt_text
from synapse_ls.mcp.resources import RESOURCE_FAMILIES, find_resource, read_resource
from synapse_ls.mcp.tool_definition import (
    Arguments,
    Tool,
    read_arguments,
    render_data,
    replace_surrogates,
    session_from_argument,
)
from synapse_ls.queries.session_lookup import own_session
from synapse_ls.storage.current_plan import load_plan
from synapse_ls.text.user_error import UserError
from synapse_ls.version import VERSION

TOOLS: dict[str, Tool] = {
    tool.name: tool
    for tool in (
        context_tools.run_get_context,
        context_tools.run_explain,
        context_tools.run_why,
        check_tools.run_check,
        check_tools.run_guard,
        context_tools.run_status,
        context_tools.run_list_domains,
        history_tools.run_log,
        history_tools.run_coverage,
        history_tools.run_compact,
        memory_tools.run_memory_search,
        memory_tools.run_memory_add,
        memory_tools.run_memory_forget,
        memory_tools.run_short_term_update,
        session_tools.run_handoff,
        session_tools.run_activate_agent,
        session_tools.SET_TASK_TOOL,
        session_tools.SET_WORKFLOW_TOOL,
    )
}


MAX_VALUES = 100  # values in an answer, by the protocol

# Name of an argument -> its values.
COMPLETION_VALUES: dict[str, Callable[[Plan], Iterable[str]]] = {
    "agent": lambda plan: {*plan.agents.values(), *plan.by_agent},
    "task": lambda plan: plan.tasks,
    "label": lambda plan: plan.labels,
    "layer": lambda _: LAYER_NAMES,
    "prompt": lambda plan: (f"*{name}" for name in plan.commands),
}


logger = logging.getLogger(__name__)

T = TypeVar("T")
PageParams = types.PaginatedRequestParams | None

INSTRUCTIONS = (
    "Synapse LS knows the rules of this project: get_context gives those that apply to a prompt, "
    "explain and why say what is left out, check finds mistakes in rule files. Where the hook is "
    "registered, each prompt already comes with them."
)
_PAGE_SIZE = 500  # items of a list that are sent at once
_NOT_FOUND = -32002  # "Resource not found" of the protocols before 2026-07-28


class SynapseServer(Server[ClientConnection]):
    """The MCP server of the SDK, which says that lists may change."""

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        """Return what ``initialize`` is answered with."""
        changing = NotificationOptions(prompts_changed=True, resources_changed=True)
        return super().create_initialization_options(
            notification_options or changing, experimental_capabilities, extensions
        )


def create_server(start: str = "") -> SynapseServer:
    """Return an MCP server whose tree is looked for from the folder ``start`` upward, "" for the
    usual places.
    """

    def lifespan(_: Server[ClientConnection]) -> AbstractAsyncContextManager[ClientConnection]:
        return open_connection(start)

    server = SynapseServer(
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
        on_subscribe_resource=_subscribe_resource,
        on_unsubscribe_resource=_unsubscribe_resource,
        on_subscriptions_listen=_listen_subscriptions,
        on_completion=_complete_value,
    )
    server.middleware.append(_remember_session)
    server.add_notification_handler(
        "notifications/roots/list_changed", types.NotificationParams, _forget_roots
    )
    return server


async def _remember_session(ctx: RequestContext, call_next: CallNext) -> HandlerResult:
    """Keep the way to a client that is notified of changes without having asked in the same
    breath.
    """
    if ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
        ctx.lifespan_context.session = ctx.session
    return await call_next(ctx)


async def _forget_roots(ctx: RequestContext, _: types.NotificationParams) -> None:
    ctx.lifespan_context.location.folders = None


async def _list_tools(_: RequestContext, params: PageParams) -> types.ListToolsResult:
    tools, cursor = _slice_page([tool.to_mcp() for tool in TOOLS.values()], params)
    return types.ListToolsResult(tools=tools, next_cursor=cursor)


async def _call_tool(
    ctx: RequestContext, params: types.CallToolRequestParams
) -> types.CallToolResult | types.InputRequiredResult:
    if (tool := TOOLS.get(params.name)) is None:
        raise MCPError(
            types.INVALID_PARAMS, f"There is no tool {params.name}. There are {', '.join(TOOLS)}."
        )
    here: ClientConnection = ctx.lifespan_context
    asking = ClientRequests(ctx, params)
    try:
        arguments: Arguments = read_arguments(tool.arguments, params.arguments or {})
        await here.find_folders(asking, can_wait=True)
        if tool.is_changing:
            arguments = await here.compute(partial(_fix_session, here, arguments))
        await require_consent(here, tool, arguments, asking)
        result = await here.compute(
            lambda: tool.run(here.location.require_root(), arguments), safe=not tool.is_changing
        )
    except InputPending as pending:
        return pending.result
    except MCPError:
        raise
    except Exception as error:
        return types.CallToolResult(content=[_text_content(_error_sentence(error))], is_error=True)
    return types.CallToolResult(
        content=[_text_content(result.text)], structured_content=result.content
    )


def _fix_session(connection: ClientConnection, arguments: Arguments) -> Arguments:
    """Return the arguments with the session that they mean now: a person agrees to that one."""
    if "session" not in arguments:
        return arguments
    root, named = connection.location.require_root(), arguments["session"]
    session = session_from_argument(root, named) if named else own_session(root)[0]
    return {**arguments, "session": session or named}


async def _list_prompts(ctx: RequestContext, params: PageParams) -> types.ListPromptsResult:
    here = await _settle_connection(ctx)
    await here.updates.start_watching()
    plan = await here.compute(partial(_load_plan, here))
    prompts_by_name: dict[str, types.Prompt] = {}
    for offered in list_prompts(plan):
        arguments = [
            types.PromptArgument(name=name, description=about, required=False)
            for name, about in offered.arguments
        ]
        prompt = types.Prompt(
            name=replace_surrogates(offered.name),
            title=neutralise_text(offered.title),
            description=neutralise_text(offered.description),
            arguments=arguments,
        )
        prompts_by_name.setdefault(offered.name, prompt)
    listed, cursor = _slice_page(list(prompts_by_name.values()), params)
    return types.ListPromptsResult(prompts=listed, next_cursor=cursor)


async def _get_prompt(
    ctx: RequestContext, params: types.GetPromptRequestParams
) -> types.GetPromptResult | types.InputRequiredResult:
    text = await _answer_about_tree(
        ctx, params, lambda root: prompt_text(root, params.name, params.arguments or {})
    )
    if isinstance(text, types.InputRequiredResult):
        return text
    if text is None:
        plan = await ctx.lifespan_context.compute(partial(_load_plan, ctx.lifespan_context))
        names = dict.fromkeys(prompt.name for prompt in list_prompts(plan))
        sentence = f"There is no prompt {params.name}. There are {', '.join(names)}."
        raise MCPError(types.INVALID_PARAMS, neutralise_text(sentence))
    message = types.PromptMessage(role="user", content=_text_content(text))
    return types.GetPromptResult(messages=[message])


async def _list_resources(ctx: RequestContext, params: PageParams) -> types.ListResourcesResult:
    here = await _settle_connection(ctx)
    await here.updates.start_watching()

    def collect_resources() -> list[types.Resource]:
        return [
            types.Resource(
                uri=family.uri(entry.key),
                name=neutralise_text(entry.key) or family.name,
                title=neutralise_text(entry.title),
                description=neutralise_text(entry.description),
                mime_type=family.mime,
            )
            for family in RESOURCE_FAMILIES
            for entry in family.entries(_load_plan(here))
        ]

    resources, cursor = _slice_page(await here.compute(collect_resources), params)
    return types.ListResourcesResult(resources=resources, next_cursor=cursor)


async def _list_templates(
    _: RequestContext, params: PageParams
) -> types.ListResourceTemplatesResult:
    templates = [
        types.ResourceTemplate(
            uri_template=family.template,
            name=family.name,
            title=family.title,
            description=family.description,
            mime_type=family.mime,
        )
        for family in RESOURCE_FAMILIES
        if family.argument
    ]
    page, cursor = _slice_page(templates, params)
    return types.ListResourceTemplatesResult(resource_templates=page, next_cursor=cursor)


async def _read_resource(
    ctx: RequestContext, params: types.ReadResourceRequestParams
) -> types.ReadResourceResult | types.InputRequiredResult:
    uri = str(params.uri)
    text = await _answer_about_tree(ctx, params, lambda root: read_resource(root, uri))
    if isinstance(text, types.InputRequiredResult):
        return text
    if text is None:
        modern = ctx.protocol_version in MODERN_PROTOCOL_VERSIONS
        code = types.INVALID_PARAMS if modern else _NOT_FOUND
        sentence = (
            f"There is no resource {uri}. There are "
            f"{', '.join(family.template for family in RESOURCE_FAMILIES)}."
        )
        raise MCPError(code, sentence, {"uri": uri})
    resource = find_resource(uri)
    content = types.TextResourceContents(
        uri=uri, mime_type=resource[0].mime if resource else "", text=replace_surrogates(text)
    )
    return types.ReadResourceResult(contents=[content])


async def _subscribe_resource(
    ctx: RequestContext, params: types.SubscribeRequestParams
) -> types.EmptyResult:
    here = await _settle_connection(ctx)
    await here.updates.subscribe(str(params.uri))
    return types.EmptyResult()


async def _unsubscribe_resource(
    ctx: RequestContext, params: types.UnsubscribeRequestParams
) -> types.EmptyResult:
    ctx.lifespan_context.updates.unsubscribe(str(params.uri))
    return types.EmptyResult()


async def _listen_subscriptions(
    ctx: RequestContext, params: types.SubscriptionsListenRequestParams
) -> types.SubscriptionsListenResult:
    here = await _settle_connection(ctx)
    return await here.listen(ctx, params)


async def _complete_value(
    ctx: RequestContext, params: types.CompleteRequestParams
) -> types.CompleteResult:
    here = await _settle_connection(ctx)

    def complete_value() -> list[str]:
        plan, argument = _load_plan(here), params.argument
        find = COMPLETION_VALUES.get(argument.name)
        if plan is None or find is None:
            return []
        prefix = argument.value.removeprefix("@" if argument.name == "agent" else "").casefold()
        fitting = [value for value in sorted(find(plan)) if prefix in value.casefold()]
        # First what begins so, then what has it elsewhere.
        return sorted(fitting, key=lambda value: not value.casefold().startswith(prefix))

    values = await here.compute(complete_value)
    return types.CompleteResult(
        completion=types.Completion(
            values=render_data(values[:MAX_VALUES]),
            total=len(values),
            has_more=len(values) > MAX_VALUES,
        )
    )


async def _settle_connection(ctx: RequestContext) -> ClientConnection:
    """Return the connection, after the client was asked where it works if that matters."""
    here: ClientConnection = ctx.lifespan_context
    await here.find_folders(ClientRequests(ctx))
    return here


async def _answer_about_tree(
    ctx: RequestContext,
    params: types.InputResponseRequestParams,
    question: Callable[[str], str | None],
) -> str | types.InputRequiredResult | None:
    """Return what ``question`` says about the root of the tree; raise MCPError where it cannot be
    answered.
    """
    here: ClientConnection = ctx.lifespan_context
    try:
        await here.find_folders(ClientRequests(ctx, params), can_wait=True)
        return await here.compute(lambda: question(here.location.require_root()))
    except InputPending as pending:
        return pending.result
    except Exception as error:
        raise MCPError(types.INVALID_PARAMS, _error_sentence(error)) from error


def _load_plan(connection: ClientConnection) -> Plan | None:
    """Return the plan of the tree; None where there is none, and where it cannot be made."""
    root = connection.location.served_root
    try:
        return load_plan(root).with_all_files().plan if root else None
    except UserError as error:
        logger.warning("%s", error)
        return None


def _slice_page(items: Sequence[T], params: PageParams) -> tuple[list[T], str | None]:
    """Return the items that ``params`` ask for, and the cursor for those behind them."""
    written = (params.cursor if params else None) or "0"
    if not written.isdecimal() or int(written) > len(items):
        raise MCPError(types.INVALID_PARAMS, f"There is no cursor {written}.")
    start = int(written)
    end = start + _PAGE_SIZE
    return list(items[start:end]), str(end) if end < len(items) else None


def _text_content(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=replace_surrogates(text))


def _error_sentence(error: Exception) -> str:
    """Return what a model is told of an error: what is wrong, and what to do."""
    if sentence := getattr(error, "sentence", ""):
        return neutralise_text(f"{sentence} {getattr(error, 'remedy', '')}")
    logger.error("a question failed", exc_info=error)
    failure = neutralise_text(f"{type(error).__name__}: {error}".rstrip(": "))
    return f"Synapse LS failed where it should not: {failure}."


def serve_stdio(start: str) -> int:
    """Run the MCP server for the tree that is found from ``start`` upward ("": from the usual
    places); return 0.
    """
    level = logging.DEBUG if os.environ.get("SYNAPSE_DEBUG") else logging.WARNING
    logging.basicConfig(stream=sys.stderr, level=level, format="synapse mcp: %(message)s")

    async def run_server() -> None:
        server = create_server(start)
        async with stdio_server() as (read, write):
            await server.run(RepairedStream(read), write, server.create_initialization_options())

    anyio.run(run_server)
    return 0
