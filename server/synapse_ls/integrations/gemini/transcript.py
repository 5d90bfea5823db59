"""Read usage of the context window and the replies of hooks from a session file of Gemini CLI.

``~/.gemini/tmp/{project}/chats/session-….jsonl``: messages by id, written again when they change,
``$set`` records that replace fields of the session (``messages`` after a compression), and
``$rewindTo`` records that undo a message and all after it.
"""

import os
from collections.abc import Collection, Iterator
from time import monotonic, sleep

from synapse_ls.integrations import model_windows, transcript_tail
from synapse_ls.integrations.gemini import convert_headings_to_tags

ORIGIN = "Gemini CLI's session file"
SUMMARY_MARK = "<state_snapshot>"  # how the summary begins that takes the place of a history
_BEGIN = b'"projectHash"'  # in the line that a process writes as it begins
LONGEST_WAIT = 2.0  # seconds for a session that is being read
PAUSE = 0.02  # seconds


def read_usage(path: str) -> transcript_tail.Usage | None:
    """Return tokens in use and the window's size in Gemini CLI, from the last model call; None
    after a compression.

    Messages that a compression has kept tell what was in use before it. A session that goes
    on writes its history again, summary and all, at times without figures: a call above that
    counts if the same summary stands above the call.
    """
    latest: transcript_tail.Usage | None = None
    summarized: object = None  # the id of the summary that the history begins with
    for record in _current_records(transcript_tail.lines_backward(path), b'"tokens"'):
        if (messages := replacement_messages(record)) is not None:
            summary = find_summary(messages)
            name = summary.get("id") if summary else None
            if summarized is None:
                # The last call of the history, after its summary where it has one.
                since = str(summary.get("timestamp")) if summary else ""
                for message in map(transcript_tail.inner_object, reversed(messages)):
                    call = call_usage(message)
                    if call and str(message.get("timestamp")) >= since:
                        return call
                if summary and name is None:
                    return None
                summarized = name
            elif len(messages) > 1 and name != summarized:
                return None
            elif name == summarized and latest:
                return latest
        elif call := call_usage(record):
            if summarized is None:
                return call
            latest = latest or call
    return None


def last_summary(path: str, size: int) -> str:
    """Return what names the last summary in the last ``size`` bytes of a session file of Gemini
    CLI, "" for none.
    """
    for line in transcript_tail.lines_backward(path, size + 1) if size else ():
        if b'"$set"' in line and b'"messages"' in line:
            messages = replacement_messages(transcript_tail.parse_record(line)) or []
            if summary := find_summary(messages):
                return str(summary.get("id") or summary.get("timestamp") or len(messages))
    return ""


def call_usage(record: transcript_tail.Record) -> transcript_tail.Usage | None:
    """Return what a message of Gemini CLI says of the window, None for nothing."""
    if not (used := sent_tokens(record)):
        return None
    model = record_model(record)
    window = model_windows.model_window(model)
    size = model_windows.raise_window(window, used, model) if window else None
    return {"used": used, "window": size, "model": model, "origin": ORIGIN}


def sent_tokens(record: transcript_tail.Record) -> int:
    """Return how many tokens the model call of a Gemini message was sent, the cached ones
    included.
    """
    if record.get("type") != "gemini":
        return 0
    return transcript_tail.token_count(transcript_tail.inner_object(record, "tokens").get("input"))


def record_model(record: transcript_tail.Record) -> str:
    """Return the id of the model that a message of Gemini CLI names, or ""."""
    return transcript_tail.string_value(record.get("model"))


def replacement_messages(record: transcript_tail.Record) -> list[transcript_tail.Record] | None:
    """Return the messages that a record of Gemini CLI puts in the place of all before it, or
    None.
    """
    messages = transcript_tail.inner_object(record, "$set").get("messages")
    return messages if isinstance(messages, list) and messages else None


def find_summary(messages: list[transcript_tail.Record]) -> transcript_tail.Record | None:
    """Return the message among the first ones that is the summary of a Gemini compression, or
    None.
    """
    first = (transcript_tail.inner_object(message) for message in messages[:4])
    return next((message for message in first if SUMMARY_MARK in content_text(message)), None)


def content_text(record: transcript_tail.Record) -> str:
    """Return the text of a message of Gemini CLI, whose content is a text or a list of parts."""
    content = record.get("content")
    if isinstance(content, str):
        return content
    texts = (
        part if isinstance(part, str) else transcript_tail.inner_object(part).get("text")
        for part in (content if isinstance(content, list) else [content])
    )
    return "".join(text for text in texts if isinstance(text, str))


def _current_records(lines: transcript_tail.Lines, *marks: bytes) -> transcript_tail.Records:
    """Yield the records from the last to the first, without the messages that were taken back.

    Of messages only those whose line has one of ``marks``.
    """
    telling = (*marks, b'"messages"', b'"$rewindTo"')
    until = ""
    for line in lines:
        if until:
            if (
                until.encode("utf-8", "replace") in line
                and transcript_tail.parse_record(line).get("id") == until
            ):
                until = ""
            continue
        if not any(mark in line for mark in telling):
            continue
        record = transcript_tail.parse_record(line)
        until = transcript_tail.string_value(record.get("$rewindTo"))
        if record and not until:
            yield record


def history_file(path: str) -> str:
    """Return the session file that has the history before a prompt whose event names ``path``.

    A process that resumes a session begins a file of its own, which it leaves once it has read the
    session: a prompt that was typed at once is sent meanwhile, and is waited with.
    """
    folder, name = os.path.split(path)
    ending = "-" + name.rpartition("-")[2]
    deadline = monotonic() + LONGEST_WAIT
    while (processes := _processes_without_message(path)) and monotonic() < deadline:
        try:
            names = [name for name in os.listdir(folder) if name.endswith(ending)]
            newest = max((os.path.join(folder, name) for name in names), key=os.path.getmtime)
        except (OSError, ValueError):
            break
        if newest != path:
            return newest  # read, and so written again
        if len(names) == processes == 1:
            break  # a new session
        sleep(PAUSE)
    return path


def _processes_without_message(path: str) -> int:
    """Return how many processes have begun in a session file, as several may within a minute, if it
    ends with what the last of them has written as it began, else 0.
    """
    lines = transcript_tail.lines_backward(path)
    messages = replacement_messages(transcript_tail.parse_record(next(lines, b"")))
    if not messages or len(messages) > 1 or not _is_context(messages[0]):
        return 0
    return 1 + sum(_BEGIN in line for line in lines) if _BEGIN in next(lines, b"") else 0


def read_branch(
    path: str, hashes: Collection[str], newest: str = "", turn: str = ""
) -> transcript_tail.Branch:
    """Return what a session file shows of replies; the arguments are those of
    `transcript_tail.read_rows`.

    A process that has not read yet the session that it resumes asks the model without its history,
    or with it: nobody can tell.
    """
    if _processes_without_message(path):
        branch = transcript_tail.Branch()
        branch.has_turn = True
        branch.lost.append(("", "", transcript_tail.UNSETTLED))
        return branch
    return transcript_tail.read_rows(_live_rows(path), hashes, newest)


def _live_rows(path: str) -> Iterator[transcript_tail.Row]:
    """Yield the rows of the live conversation with Gemini, the newest first.

    A turn that is stopped with Esc, a rewind, ``/chat resume`` and a compression write the history
    again, as it is then: behind that nothing is looked at. A process that resumes a session writes
    its own context and behind it a copy of the history, with the time of now for each message: of
    that one counts what stands before both, if there is anything. A process that begins may remove
    the files of one that is running, and what is written then shows only what has come since.
    """
    has_begin = False
    oldest = transcript_tail.ANY_TIME
    # The client's own context, which a process writes as it begins.
    begun: transcript_tail.Row | None = None
    copy: list[transcript_tail.Record] = []  # a history that may be the copy of one before it
    resumed: list[transcript_tail.Record] = []  # one that is
    marks = b'"user"', b'"gemini"', _BEGIN
    for record in _current_records(transcript_tail.lines_backward(path), *marks):
        is_begin = "projectHash" in record
        if begun is not None and not is_begin:
            yield begun  # it is all that is left
            return
        begun = None
        has_begin |= is_begin
        if is_begin:
            resumed, copy = copy or resumed, []
            continue
        messages = replacement_messages(record)
        rows = list(_rows_of([record]) if messages is None else _rows_of(messages, is_whole=True))
        if len(rows) == 1 and messages is not None and not rows[0].identity:
            begun = rows[0]
            continue
        if copy:
            yield from _rows_of(copy, is_whole=True)
            return
        # A process gives all messages of a session that it resumes the same time.
        resumed_messages = [transcript_tail.inner_object(m) for m in (messages or ())[1:]]
        times = {str(message.get("timestamp")) for message in resumed_messages}
        if messages is not None and len(resumed_messages) > 1 and len(times) == 1:
            copy = messages
            continue
        yield from rows
        resumed = [] if rows else resumed
        if messages is not None:
            return
        oldest = rows[-1].time if rows else oldest
    if not (has_begin or copy):
        yield transcript_tail.Row(transcript_tail.LOST_ROW, time=oldest)
    yield from _rows_of(copy or resumed, is_whole=True)


def _rows_of(
    messages: list[transcript_tail.Record], *, is_whole: bool = False
) -> Iterator[transcript_tail.Row]:
    """Yield the rows of messages, the newest first. is_whole: whether they are a whole history."""
    summary = find_summary(messages) if is_whole else None
    for message in map(transcript_tail.inner_object, reversed(messages)):
        kind = message.get("type")
        if message is summary:
            yield transcript_tail.Row(
                transcript_tail.COMPACTION_ROW, "", (), message.get("timestamp")
            )
        elif kind in ("user", "gemini"):
            is_answer = kind == "gemini"
            texts = () if is_answer else injected_texts(message)
            row_kind = transcript_tail.ANSWER_ROW if is_answer else transcript_tail.MESSAGE_ROW
            row = transcript_tail.Row(row_kind, message.get("id"), texts, message.get("timestamp"))
            if _is_context(message):
                row.identity = ""  # it has the same in each session
            yield row


def _is_context(message: transcript_tail.Record) -> bool:
    return content_text(transcript_tail.inner_object(message)).startswith("<session_context>")


def injected_texts(record: transcript_tail.Record) -> tuple[str, ...]:
    """Return the texts of hooks in a message to a Gemini model, beside a prompt or behind what a
    tool has said; the client has escaped their brackets.
    """
    texts = [content_text(record)]
    for part in transcript_tail.object_items(record.get("content")):
        answer = transcript_tail.inner_object(part, "functionResponse")
        response = transcript_tail.inner_object(answer, "response")
        texts += map(transcript_tail.string_value, response.values())
        texts.append(content_text({"content": answer.get("parts")}))
    hooks = transcript_tail.texts_between("".join(texts), "<hook_context>", "</hook_context>")
    # The client has escaped their angle brackets.
    plain = (text.replace("&lt;", "<").replace("&gt;", ">") for text in hooks)
    return tuple(map(convert_headings_to_tags, plain))
