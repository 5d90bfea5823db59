"""The connection to one MCP client: its tree, requests, subscriptions and a person's consent.

It also repairs messages that the SDK cannot read.
"""

from __future__ import annotations

import json
import logging
import os
import shlex
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from importlib.util import find_spec
from typing import Any, TypeVar
from urllib.parse import unquote, urlsplit

import anyio
from anyio.abc import TaskGroup
from mcp import types
from mcp.server import subscriptions
from mcp.server.context import ServerRequestContext
from mcp.server.session import ServerSession
from mcp.shared._stream_protocols import ReadStream
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from mcp.types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from synapse_ls.guard.agent_action import ENFORCE
from synapse_ls.hooks.event_dispatch import find_tree_above
from synapse_ls.mcp.prompts import prompt_names
from synapse_ls.mcp.resources import read_resource
from synapse_ls.mcp.tool_definition import Arguments, Tool, replace_surrogates
from synapse_ls.storage.current_plan import load_plan
from synapse_ls.storage.program_start import forget_foreign_folders
from synapse_ls.storage.trusted_trees import find_changes, require_served
from synapse_ls.text.digest import hash_text
from synapse_ls.text.phrases import escape_invisible, quote_name
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace import file_watching
from synapse_ls.workspace.user_folders import folders_in_use


class TreeLocation:
    """Where the tree is looked for: from ``start`` upward, else from the working directory, else
    from the folders that the client works in, the first with a tree.

    ``folders``: those of the client, None before it was asked.
    """

    def __init__(self, start: str = "") -> None:
        self._start = start
        self.folders: tuple[str, ...] | None = None

    @property
    def starts(self) -> tuple[str, ...]:
        """The folders from which the tree is looked for, in this order."""
        if self._start:
            return (self._start,)
        try:
            folder = os.getcwd()
        except OSError:
            folder = ""
        return (folder, *(self.folders or ()))

    @property
    def root(self) -> str:
        """The root of the tree, "" where there is none."""
        starts = [*filter(None, self.starts)]
        forget_foreign_folders(*starts, named=self.folders or ())
        return next(filter(None, map(find_tree_above, starts)), "")

    @property
    def served_root(self) -> str:
        """The root of the tree, "" where there is none, or where it is not as its person pinned it:
        it is not served then.
        """
        root = self.root
        return "" if root and find_changes(root) else root

    @property
    def wants_folders(self) -> bool:
        """Whether the client's folders could be of use, and are not known."""
        return not self._start and self.folders is None and not self.root

    def require_root(self) -> str:
        """Return the root of the tree; raise UserError where there is none, or where it is not as
        its person pinned it.
        """
        if not (root := self.root):
            starts = ", ".join(start or "a folder that is gone" for start in self.starts)
            raise UserError(
                f"No rule tree was found from {starts} upward.",
                "Create one with `synapse init` in the project, or start the server with "
                "--root DIR; a tree that comes later is served then.",
            )
        require_served(root)
        return root


def uri_folder(uri: str) -> str:
    """Return the folder that a ``file:`` URI of a client names, in which the tree may be located,
    "" for any other.
    """
    try:
        parts = urlsplit(uri)
    except ValueError:
        return ""
    path = unquote(parts.path)
    if parts.scheme.casefold() != "file" or "\0" in path or not path:
        return ""
    if os.name == "nt":
        path = path.lstrip("/") if path[2:3] == ":" else path
    return os.path.normpath(path)


Item = SessionMessage | Exception
_SHOWN = 40  # characters
_FOREIGN = (
    "What came is no message of the Model Context Protocol: the line begins with %r. Each line "
    'is a message of JSON-RPC, such as {"jsonrpc": "2.0", "id": 1, "method": "ping"}. An agent '
    "client starts "
    "`synapse mcp`, and `synapse install --mcp` registers it; `synapse --help` lists what people "
    "run."
)
logger = logging.getLogger(__name__)


class RepairedStream:
    """A RepairedStream yields what ``inner`` yields, with repaired messages in the place of errors
    where they can be read after all.
    """

    def __init__(self, inner: ReadStream[Item]) -> None:
        self._inner = inner
        self._has_warned = False

    @property
    def last_context(self) -> object:
        """The context in which the last message was sent, as the SDK asks for it."""
        return getattr(self._inner, "last_context", None)

    async def receive(self) -> Item:
        """Return the next message, or the error in its place."""
        return self._repair(await self._inner.receive())

    async def aclose(self) -> None:
        """Close the stream."""
        await self._inner.aclose()

    def __aiter__(self) -> RepairedStream:
        return self

    async def __anext__(self) -> Item:
        return self._repair(await self._inner.__anext__())

    def _repair(self, item: Item) -> Item:
        """Return the item, mended if it can be; of the first that cannot be, a warning is
        logged.
        """
        if not isinstance(item, ValidationError):
            return item
        line = str(item.errors()[0]["input"]).strip()
        try:  # It may have half a surrogate pair.
            value = replace_surrogates(json.loads(line))
            message = types.jsonrpc_message_adapter.validate_python(value, by_name=False)
        except (ValueError, TypeError, RecursionError):
            if line and not self._has_warned:
                self._has_warned = True
                logger.warning(_FOREIGN, line[:_SHOWN])
            return item
        return SessionMessage(message)

    async def __aenter__(self) -> RepairedStream:
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> bool | None:
        return await self._inner.__aexit__(*error)


Lists = tuple[tuple[str, ...], tuple[str, ...]]
_POLL_SECONDS = 2.0  # seconds between two looks where nothing can watch
_IDLE_SECONDS = 60.0  # seconds without an event after which time alone may have changed something
_NO_LISTS: Lists = ((), ())


class ResourceUpdates:
    """The subscriptions of one MCP client, which is kept up to date about them. ``publish`` brings
    it an event.
    """

    def __init__(
        self,
        place: TreeLocation,
        tasks: TaskGroup,
        publish: Callable[[subscriptions.ServerEvent], Awaitable[None]],
    ) -> None:
        self._place = place
        self._tasks = tasks
        self._publish = publish
        self._subscriptions: Counter[str] = Counter()
        self._sent_texts: dict[str, str] = {}
        self._lists: Lists = _NO_LISTS
        self._changed = anyio.Event()
        self._refresh_lock = anyio.Lock()
        self._is_watching = False

    async def subscribe(self, uri: str) -> None:
        """Subscribe to changes of this resource, from its present text on."""
        await self.start_watching()
        if uri not in self._sent_texts:
            self._sent_texts[uri] = await anyio.to_thread.run_sync(self._resource_hash, uri)
        self._subscriptions[uri] += 1

    def unsubscribe(self, uri: str) -> None:
        """Take one subscription back; one that was never made is none."""
        self._subscriptions[uri] -= 1
        if self._subscriptions[uri] <= 0:
            del self._subscriptions[uri]
            self._sent_texts.pop(uri, None)

    @asynccontextmanager
    async def hold_subscriptions(self, uris: list[str]) -> AsyncIterator[None]:
        """Hold subscriptions for as long as the context lasts."""
        added: list[str] = []
        try:
            for uri in uris:
                await self.subscribe(uri)
                added.append(uri)
            yield
        finally:
            for uri in added:
                self.unsubscribe(uri)

    async def start_watching(self) -> None:
        """Begin to watch the disk, and to notify of lists as they are from now on."""
        if self._is_watching:
            return
        self._is_watching = True
        self._lists = await anyio.to_thread.run_sync(self._current_lists)
        self._tasks.start_soon(self._watch_disk)

    async def refresh(self) -> None:
        """Read what is subscribed to anew, and notifies of what has changed."""
        async with self._refresh_lock:
            uris = tuple(self._subscriptions)
            texts, lists = await anyio.to_thread.run_sync(
                lambda: ({uri: self._resource_hash(uri) for uri in uris}, self._current_lists())
            )
            before, self._lists = self._lists, lists
            if lists[0] != before[0]:
                await self._publish(subscriptions.ResourcesListChanged())
            if lists[1] != before[1]:
                await self._publish(subscriptions.PromptsListChanged())
            for uri, text in texts.items():
                if self._sent_texts.get(uri, text) != text:
                    self._sent_texts[uri] = text
                    await self._publish(subscriptions.ResourceUpdated(uri))

    async def _watch_disk(self) -> None:
        # An editor's extension brings the server along without watchdog.
        disk = (
            file_watching.DiskWatcher(lambda _: self._changed.set())
            if find_spec("watchdog")
            else None
        )
        try:
            while True:
                try:
                    if disk is None:
                        await anyio.sleep(_POLL_SECONDS)
                    else:
                        disk.update(await anyio.to_thread.run_sync(self._watched_folders))
                        await self._await_burst()
                    await self.refresh()
                except Exception:  # whatever it is, later changes are still to be told
                    logger.exception("a change could not be announced")
                    await anyio.sleep(file_watching.MAX_WAIT_SECONDS)
        finally:
            if disk is not None:
                disk.stop()

    async def _await_burst(self) -> None:
        """Wait for a first event, and then until it is quiet or a limit of time has passed."""
        with anyio.move_on_after(_IDLE_SECONDS):
            await self._changed.wait()
        with anyio.move_on_after(file_watching.MAX_WAIT_SECONDS):
            while self._changed.is_set():
                self._changed = anyio.Event()
                with anyio.move_on_after(file_watching.QUIET_SECONDS):
                    await self._changed.wait()
        self._changed = anyio.Event()

    def _watched_folders(self) -> frozenset[file_watching.WatchedFolder]:
        if root := self._place.root:
            return file_watching.folders_to_watch([file_watching.watched_root(root)], [root])
        return file_watching.folders_to_watch((), [*filter(None, self._place.starts)])

    def _resource_hash(self, uri: str) -> str:
        """Return what stands for the text of a resource; for that of none, and of one without a
        tree, "".
        """
        try:
            root = self._place.served_root
            text = read_resource(root, uri) if root else None
        except Exception as error:  # whatever keeps it from being read is told to who reads it
            logger.debug("%s cannot be read: %s", uri, error)
            return f"{type(error).__name__}: {error}"
        return "" if text is None else hash_text(text)

    def _current_lists(self) -> Lists:
        """Return what resources and prompts there are."""
        try:
            root = self._place.served_root
            plan = load_plan(root).with_all_files().plan if root else None
        except Exception as error:
            logger.debug("the tree cannot be read: %s", error)
            return self._lists
        return (tuple(plan.labels), tuple(sorted(prompt_names(plan)))) if plan else _NO_LISTS


ROOTS, CONFIRM = "roots", "confirm"
_ROOTS_TIMEOUT = 5.0  # seconds for a client to say where it works

RequestContext = ServerRequestContext[Any, Any]


class InputPending(Exception):  # noqa: N818
    """An InputPending says that the answer to an MCP client has to wait for what it is asked."""

    def __init__(self, name: str, request: types.InputRequest, state: str | None = None) -> None:
        super().__init__(name)
        self.result = types.InputRequiredResult(input_requests={name: request}, request_state=state)


class ClientRequests:
    """ClientRequests ask the MCP client of a connection something during one request of it. params:
    those that have what it was asked before, and said.

    In both ways that the protocol has: up to 2025-11-25 a server sends requests of its own; from
    2026-07-28 on it answers that input is required, and the client calls again with it.
    """

    def __init__(
        self, ctx: RequestContext, params: types.InputResponseRequestParams | None = None
    ) -> None:
        self._ctx = ctx
        self._responses = (params.input_responses if params else None) or {}
        self._state = params.request_state if params else None
        self._is_modern = ctx.protocol_version in MODERN_PROTOCOL_VERSIONS

    @property
    def client_name(self) -> str:
        """What the client calls itself."""
        params = self._ctx.session.client_params
        return params.client_info.name if params else "an unknown client"

    async def list_roots(self, *, can_wait: bool) -> list[str] | None:
        """Return the URIs of the folders that the client works in; None where it does not say.

        can_wait: whether this kind of request may be answered with `InputPending`, which is raised
        then.
        """
        if (able := self._ctx.session.client_capabilities) is None or able.roots is None:
            return []
        request = types.ListRootsRequest()
        if self._is_modern:
            response = self._responses.get(ROOTS)
            if not isinstance(response, types.ListRootsResult):
                if can_wait:
                    raise InputPending(ROOTS, request)
                return None
        else:
            try:
                with anyio.fail_after(_ROOTS_TIMEOUT):
                    response = await self._ctx.session.send_request(request, types.ListRootsResult)
            except (MCPError, TimeoutError):
                return []
        return [str(root.uri) for root in response.roots]

    async def confirm(self, question: str) -> bool | None:
        """Return whether a person says yes; None where the client cannot ask one. Raises
        `InputPending`.
        """
        able = self._ctx.session.client_capabilities
        forms = able.elicitation if able else None
        if forms is None or (forms.url is not None and forms.form is None):
            return None
        schema: dict[str, Any] = {"type": "object", "properties": {}}
        if self._is_modern:
            response, question_hash = self._responses.get(CONFIRM), hash_text(question)
            # What was said holds for the very question that was asked.
            if not isinstance(response, types.ElicitResult) or self._state != question_hash:
                form = types.ElicitRequestFormParams(message=question, requested_schema=schema)
                raise InputPending(CONFIRM, types.ElicitRequest(params=form), question_hash)
        else:
            response = await self._ctx.session.elicit_form(question, schema, self._ctx.request_id)
        return response.action == "accept"


T = TypeVar("T")

_MAX_THREADS = 4  # questions at once; the others wait


class ClientConnection:
    """What is known of one MCP client while it is connected.

    session: how to tell a client of the handshake protocols what it did not ask for, None for any
    other.
    """

    def __init__(self, place: TreeLocation, tasks: TaskGroup) -> None:
        self.location = place
        self.session: ServerSession | None = None
        self.updates = ResourceUpdates(place, tasks, self._publish)
        self._bus = subscriptions.InMemorySubscriptionBus()
        self._listen = subscriptions.ListenHandler(self._bus)
        self._limiter = anyio.CapacityLimiter(_MAX_THREADS)

    async def compute(self, question: Callable[[], T], *, safe: bool = True) -> T:
        """Run ``question`` in a thread. safe: whether it may be left alone when nobody waits any
        more.
        """
        return await anyio.to_thread.run_sync(
            question, abandon_on_cancel=safe, limiter=self._limiter
        )

    async def find_folders(self, requests: ClientRequests, *, can_wait: bool = False) -> None:
        """Ask the client where it works, where that could help to find a tree."""
        if not await self.compute(lambda: self.location.wants_folders):
            return
        if (uris := await requests.list_roots(can_wait=can_wait)) is not None:
            self.location.folders = tuple(filter(None, map(uri_folder, uris)))
            folders_in_use.update(dict.fromkeys(self.location.folders, True))

    async def listen(
        self, ctx: RequestContext, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        """Serve ``subscriptions/listen`` until the client ends it."""
        await self.updates.start_watching()
        async with self.updates.hold_subscriptions(
            params.notifications.resource_subscriptions or []
        ):
            return await self._listen(ctx, params)

    async def _publish(self, event: subscriptions.ServerEvent) -> None:
        await self._bus.publish(event)
        if (session := self.session) is None:
            return
        if isinstance(event, subscriptions.ResourceUpdated):
            await session.send_resource_updated(event.uri)
        elif isinstance(event, subscriptions.ResourcesListChanged):
            await session.send_resource_list_changed()
        elif isinstance(event, subscriptions.PromptsListChanged):
            await session.send_prompt_list_changed()


async def require_consent(
    connection: ClientConnection, tool: Tool, arguments: Arguments, requests: ClientRequests
) -> None:
    """Have a person say yes to what needs it where the guard enforces boundaries; raise UserError
    where nobody does.
    """
    confirm = tool.describe_change

    def find_question() -> str:
        root = connection.location.require_root()
        if confirm is None or load_plan(root).plan.settings["guard"] != ENFORCE:
            return ""
        change = " ".join(confirm(root, arguments).split())
        return (
            f"In the project {quote_name(root)}, an agent in {quote_name(requests.client_name)} "
            f"wants to {change}. Is that all right?"
        )

    if confirm is None or not (question := await connection.compute(find_question)):
        return
    if (answer := await requests.confirm(escape_invisible(question))) is None:
        by_hand = shlex.join(tool.command_words(arguments)) if tool.command_words else ""
        raise UserError(
            f"{tool.name} needs the consent of a person, since the guard of this tree enforces "
            "boundaries, and this client cannot ask for it.",
            f"Have a person run `{by_hand}`." if by_hand else "Have a person do it.",
        )
    if not answer:
        raise UserError("The person did not agree, so nothing was changed.", "Go on without it.")
    if await connection.compute(find_question) != question:
        raise UserError(
            "What the person agreed to has changed meanwhile, so nothing was changed.",
            "Call the tool again.",
        )


@asynccontextmanager
async def open_connection(start: str) -> AsyncIterator[ClientConnection]:
    """Open the connection to an MCP client, whose tree is looked for from the folder ``start``
    upward, "" for the usual places.
    """
    async with anyio.create_task_group() as tasks:
        yield ClientConnection(TreeLocation(start), tasks)
        tasks.cancel_scope.cancel()
