"""Read the state of the window from a transcript of VS Code's own harness and the files beside it.

``…/transcripts/{session}.jsonl`` has neither usage nor what hooks add. Those are in the chat's
file, ``…/workspaceStorage/{id}/chatSessions/{session}.jsonl`` (earlier ``.json``), a log of
changes: a request's result has ``promptTokens`` and ``outputTokens``, the chosen model its limits,
and after a compaction there is ``summaries``, after ``/compact`` one ``summary``. Both are searched
from the end for these names.

The chat's gauge divides prompt and answer by the model's whole window. Compaction depends on the
input limit: a summary begins at 78 percent of it at the earliest, and replaces the history before
the next request.

Source: VS Code 1.139.1 with Copilot Chat 0.67, as it wrote them.
"""

import os
from collections.abc import Collection, Iterator

from synapse_ls.integrations import transcript_tail
from synapse_ls.storage.session_store import format_timestamp

CHAT_ORIGIN = "VS Code's chat file"
EARLIEST_SUMMARY = 78  # percent of what the model takes in, from which on it may compact
_PROMPT = b"promptTokens"
_ANSWER = b"outputTokens"
_INPUT = b"maxInputTokens"
_OUTPUT = b"maxOutputTokens"
_WINDOW = b"maxContextWindowTokens"
_MODELS = (b"resolvedModel", b"modelId")
_SUMMARIES = (b'"summaries"', b'"summary"')
_RECENT = 524_288  # bytes of a transcript that are read for sub-agents
_MOST = 200  # bytes of a value that are looked at
_MOST_DIGITS = 9
_ENDINGS = (".jsonl", ".json")
_MOST_FILES = 3  # chats that somebody may have open at a time
_LISTS = (b'{"kind":2,"k":["requests"],', b'{"kind":0,')
_FIELDS = b'{"kind":1,"k":["requests",'
_FOLLOWED = (b'"result"', b'"modelState"')
_CANCELLED = 2  # the state of a request
_HOOK_PLACES = (
    ("Additional instructions from hooks: ", "\n</context>"),
    ("<PostToolUse-context>\n", "\n</PostToolUse-context>"),
)
_HOOK_MARKS = (b"Additional instructions from hooks: ", b"<PostToolUse-context>")
_LATEST = 253402300800000  # milliseconds until the year 10000


def running_subagent(path: str, call: str = "") -> str:
    """Return the id of the call of a tool that has started the sub-agent that is at work now, as a
    transcript shows it; "" where that is the main agent. ``call``: one that counts as ended.

    The client reports the prompt and the tools of a sub-agent as those of the session. What a
    person writes ends those that were cancelled.
    """
    running: dict[str, object] = {}  # the tasks of those that are at work
    for line in reversed(list(transcript_tail.lines_backward(path, _RECENT))):
        marks = [b'"user.message"', *(name.encode() for name in running)] if running else []
        if not any(mark in line for mark in (b'"runSubagent"', *marks)):
            continue
        record = transcript_tail.parse_record(line)
        data = transcript_tail.inner_object(record, "data")
        kind, identity = record.get("type"), str(data.get("toolCallId"))
        if kind == "tool.execution_start" and data.get("toolName") == "runSubagent":
            running[identity] = transcript_tail.inner_object(data, "arguments").get("prompt")
        elif kind == "tool.execution_complete":
            running.pop(identity, None)
        elif kind == "user.message" and data.get("content") not in running.values():
            running.clear()
    running.pop(call, None)
    return next(reversed(running), "")


def chat_file(transcript: str, session_id: str) -> str:
    """Return the path of the file in which VS Code keeps the session of a chat, "" where there is
    none: that of a fork, if it was written later, since what is asked there is reported as asked in
    the original.
    """
    if not transcript or not session_id or os.path.basename(session_id) != session_id:
        return ""
    folder = os.path.dirname(os.path.dirname(os.path.dirname(transcript)))
    for ending in _ENDINGS:
        path = os.path.join(folder, "chatSessions", session_id + ending)
        if os.path.isfile(path):
            name = b'"sessionId":"%s"' % session_id.encode("utf-8", "replace")
            written = _mtime(path)
            for time, other in _chat_files(os.path.dirname(path)):
                lines = transcript_tail.lines_backward(other) if time > written else ()
                if any(name in line for line in lines):
                    return other
            return path
    return ""


def _chat_files(folder: str) -> list[tuple[float, str]]:
    """Return when the files of chats were written and their paths, the newest first."""
    try:
        with os.scandir(folder) as entries:
            files = [
                (entry.stat().st_mtime, entry.path)
                for entry in entries
                if entry.name.endswith(_ENDINGS) and entry.is_file()
            ]
    except OSError:
        return []
    return sorted(files, reverse=True)[:_MOST_FILES]


def _mtime(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0


def read_chat_usage(path: str, transcript: str) -> transcript_tail.Usage | None:
    """Return, from VS Code's file of a chat session, the tokens of the last prompt and its answer,
    the window of the model, and from which size on the client may compact; None where the file does
    not say. ``transcript``: shows whether the file lacks the last answer; what is used may then be
    twice as much.
    """
    prompt = answer = 0
    limits = dict.fromkeys((_INPUT, _OUTPUT, _WINDOW), 0)
    model = ""
    for line in transcript_tail.lines_backward(path) if path else ():
        if not prompt:
            prompt = _to_number(_last_value(_PROMPT, line))
            answer = _to_number(_last_value(_ANSWER, line)) if prompt else 0
        for name, limit in limits.items():
            limits[name] = limit or _to_number(_last_value(name, line))
        for name in _MODELS:
            model = model or _last_value(name, line).strip(b'"').decode("utf-8", "replace")
        if prompt and limits[_WINDOW]:
            break
    if not prompt:
        return None
    window = limits[_WINDOW] or (limits[_INPUT] and limits[_INPUT] + limits[_OUTPUT])
    earliest = limits[_INPUT] * EARLIEST_SUMMARY // 100
    figures: transcript_tail.Usage = {
        "used": prompt + answer,
        "model": model,
        "origin": CHAT_ORIGIN,
        "window": window or None,
    }
    if earliest:
        is_late = _last_answer(transcript) > _iso_time(int(_mtime(path) * 1000))
        figures["compacts_from"] = earliest // 2 if is_late else earliest
    return figures


def read_branch(
    path: str, hashes: Collection[str], newest: str = "", turn: str = ""
) -> transcript_tail.Branch:
    """Return what the file of a chat shows of replies, of which ``path`` is the transcript; the
    other arguments are those of `transcript_tail.read_rows`, ``newest`` names a request.

    The file is written late: the request that is worked on, and the answer to the one before, may
    not be there. A request that is edited, retried or behind a restored checkpoint is replaced when
    the next one is written. What came with a prompt that was cancelled may be there or not: it is
    in no later request once the window is loaded anew, since only answered prompts are kept as
    sent.
    """
    branch = transcript_tail.Branch()
    session = os.path.basename(path).partition(".")[0]
    chat = chat_file(path, session)
    # Whether texts are lost: by a fork, a change of the requests or a summary.
    is_lost = bool(chat) and not os.path.basename(chat).startswith(session)
    for line in (
        transcript_tail.lines_backward(chat, transcript_tail.DEEPEST_BRANCH) if chat else ()
    ):
        if any(mark in line for mark in _HOOK_MARKS):
            texts = _hook_texts(transcript_tail.parse_record(line))
            sought = transcript_tail.sought_hashes(texts, hashes)
            branch.texts += [(identity, "", transcript_tail.ON_BRANCH) for identity in sought]
        is_lost = is_lost or (b'"modelState"' in line and b'"value":%d' % _CANCELLED in line)
        is_lost = is_lost or any(mark in line for mark in _SUMMARIES)
        if not line.startswith(_LISTS):
            continue
        record = transcript_tail.parse_record(line)
        requests = _appended(record)
        is_lost = is_lost or "i" in record
        if requests and not branch.newest:
            branch.newest = transcript_tail.string_value(requests[-1].get("requestId"))
            branch.has_turn = "modelState" not in requests[-1] and "result" not in requests[-1]
        if any(request.get("requestId") == newest for request in requests):
            break
    if is_lost:
        _follow_changes(chat, hashes, branch)
    return branch


class _Request:
    """What is kept of a request of a chat.

    rounds: (id, time) of each answer of the model. texts: (place, hash) of the texts of hooks that
    are looked for, in their order; the place is -1 for the prompt's, else that of the round whose
    tools they came with. summaries: ids of the rounds with which what was summarised ends.
    """

    def __init__(self, record: transcript_tail.Record, hashes: Collection[str]) -> None:
        self.hashes = hashes
        self.sent = _iso_time(record.get("timestamp"))
        self.is_cancelled = False
        self.rounds: list[tuple[str, str]] = []
        self.texts: list[tuple[int, str]] = []
        self.summaries: list[str] = []
        for name in ("result", "modelState"):
            self.set_field(name, record.get(name))

    def set_field(self, name: object, value: object) -> None:
        """Take the value of a field as it is now."""
        if name == "modelState":
            self.is_cancelled = transcript_tail.inner_object(value).get("value") == _CANCELLED
        if name != "result":
            return
        result = dict(transcript_tail.inner_object(value, "metadata"))
        rounds = transcript_tail.object_items(result.get("toolCallRounds"))
        text = transcript_tail.string_value
        self.rounds = [(text(r.get("id")), _iso_time(r.get("timestamp"))) for r in rounds]
        summaries = [*transcript_tail.object_items(result.get("summaries")), result.get("summary")]
        self.summaries = [
            text(summary.get("toolCallRoundId"))
            for summary in summaries
            if isinstance(summary, dict)
        ]
        tools = transcript_tail.inner_object(result.pop("toolCallResults", None))
        self.texts = [
            (-1, identity)
            for identity in transcript_tail.sought_hashes(_hook_texts(result), self.hashes)
        ]
        for place, of_round in enumerate(rounds):
            for call in transcript_tail.object_items(of_round.get("toolCalls")):
                texts = _hook_texts(tools.get(str(call.get("id"))))
                sought = transcript_tail.sought_hashes(texts, self.hashes)
                self.texts += ((place, identity) for identity in sought)

    @property
    def ended(self) -> str:
        """When the last answer of the model came, or the request was sent."""
        return self.rounds[-1][1] if self.rounds else self.sent


def _follow_changes(path: str, hashes: Collection[str], branch: transcript_tail.Branch) -> None:
    """Have ``branch`` know the texts of the requests that are left of a chat, behind its last
    summary, and from when to when those were sent that were replaced, removed or cancelled.
    """
    asked: list[_Request] = []  # all of them, in their order
    held: list[_Request] = []
    for line in reversed(
        list(transcript_tail.lines_backward(path, transcript_tail.DEEPEST_BRANCH))
    ):
        is_list = line.startswith(_LISTS)
        if not is_list and not (line.startswith(_FIELDS) and any(f in line for f in _FOLLOWED)):
            continue
        record = transcript_tail.parse_record(line)
        if is_list:
            if made := _iso_time(transcript_tail.inner_object(record, "v").get("creationDate")):
                branch.lost.append(("", made, transcript_tail.OFF_BRANCH))  # what a fork has not
            start = record.get("i", len(held))
            requests = [_Request(request, hashes) for request in _appended(record)]
            held[start if isinstance(start, int) else 0 :] = requests
            asked += requests
            continue
        place = record.get("k")
        place = place if isinstance(place, list) and len(place) == 3 else ["", None, ""]
        if isinstance(place[1], int) and 0 <= place[1] < len(held):
            held[place[1]].set_field(place[2], record.get("v"))
    rounds = {
        name: (at, place)
        for at, request in enumerate(held)
        for place, (name, _) in enumerate(request.rounds)
    }
    summary = (-1, -1)  # the request and the round with which what was summarised ends
    for request in held:
        for name in request.summaries:
            if name and name in rounds:  # else the client leaves it out, as after a retry
                summary, branch.compacted = rounds[name], request.ended
    branch.dropped = held[-1].ended if held else ""
    branch.texts = [
        (identity, "", transcript_tail.ON_BRANCH)
        for number in reversed(range(len(held)))
        for place, identity in reversed(held[number].texts)
        if (number, place) > summary
    ]
    # A window that is not loaded anew still sends what was cancelled.
    for request, end in zip(asked, [*(r.sent for r in asked[1:]), ""], strict=False):
        if not any(request is other for other in held):
            branch.lost.append((request.sent, end, transcript_tail.OFF_BRANCH))
        elif request.is_cancelled:
            branch.lost.append((request.sent, end, transcript_tail.UNSETTLED))


def _appended(record: transcript_tail.Record) -> list[transcript_tail.Record]:
    """Return the requests that a line adds to those of a chat."""
    value = record.get("v")
    return transcript_tail.object_items(value.get("requests") if isinstance(value, dict) else value)


def _hook_texts(value: object) -> Iterator[str]:
    """Yield the texts of hooks in the values of a record, as they were sent."""
    if isinstance(value, str):
        for opening, closing in _HOOK_PLACES:
            yield from transcript_tail.texts_between(value, opening, closing)
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _hook_texts(inner)


def _iso_time(milliseconds: object) -> str:
    """Return a time of the file as transcripts have it, "" for none."""
    if not isinstance(milliseconds, int) or not 0 <= milliseconds < _LATEST:
        return ""
    return format_timestamp(milliseconds / 1000)


def _last_value(name: bytes, line: bytes) -> bytes:
    """Return the beginning of the last value of that name in a line of JSON, b"" for none: a number
    or a short string as a whole.

    Within the text of a message its quotation marks would be escaped, so that it does not count.
    """
    quoted = b'"' + name + b'"'
    at = line.rfind(quoted)
    while at >= 0:
        rest = line[at + len(quoted) : at + len(quoted) + _MOST].lstrip()
        if rest[:1] == b":" and line[at - 1 : at] != b"\\":
            value = rest[1:].lstrip()
            end = value.find(b'"', 1) + 1 if value[:1] == b'"' else len(value)
            return value[:end]
        at = line.rfind(quoted, 0, at)
    return b""


def _to_number(value: bytes) -> int:
    """Return the whole number that a value begins with, 0 for none."""
    digits = value[:_MOST_DIGITS]
    size = len(digits) - len(digits.lstrip(b"0123456789"))
    return int(digits[:size] or b"0")


def _last_answer(path: str) -> str:
    """Return when the model answered last by a transcript, "" for never."""
    for line in transcript_tail.lines_backward(path):
        if b'"assistant.turn_end"' in line:
            return transcript_tail.string_value(transcript_tail.parse_record(line).get("timestamp"))
    return ""


def read_usage(path: str, session_id: str = "") -> transcript_tail.Usage | None:
    """Return tokens in use and the window's size in VS Code, from the chat's file."""
    return read_chat_usage(chat_file(path, session_id), path)


_AGENT = "github.copilot.editsagent"


def last_chat_prompt(folder: str) -> tuple[float, bool] | None:
    """Return the last prompt to the agent in the chats of a workspace, None where there is none.

    It is when it was given, in seconds since 1970, and whether the model is done. Only what hooks
    are called on counts: no commands such as ``/compact``, and nothing to another participant.
    """
    return max(filter(None, (_last_prompt(path) for _, path in _chat_files(folder))), default=None)


def _last_prompt(path: str) -> tuple[float, bool] | None:
    answered = False  # a result that stands behind a request is its own
    for line in transcript_tail.lines_backward(path):
        record = transcript_tail.parse_record(line)
        place = record.get("k")
        if place == ["requests"] or "kind" not in record or record.get("kind") == 0:
            value = record.get("v", record)
            requests = value.get("requests") if isinstance(value, dict) else value
            for request in reversed(requests if isinstance(requests, list) else []):
                if isinstance(request, dict) and (moment := _prompt_time(request)):
                    return moment, answered or "result" in request
        elif isinstance(place, list) and place[:1] == ["requests"] and place[2:] == ["result"]:
            answered = True
    return None


def _prompt_time(request: transcript_tail.Record) -> float:
    """Return the moment of a prompt that hooks are called on, 0 for any other."""
    agent = str(transcript_tail.inner_object(request, "agent").get("id")).lower()
    text = str(transcript_tail.inner_object(request, "message").get("text"))
    moment = request.get("timestamp")
    is_heard = agent == _AGENT and "slashCommand" not in request and not text.startswith("/")
    return moment / 1000 if is_heard and isinstance(moment, int | float) else 0.0
