"""The audit log as others read it: JSON lines, or OpenTelemetry log records in OTLP's JSON, written
by the project's own library. Nothing is sent.

https://opentelemetry.io/docs/specs/otel/protocol/file-exporter/
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from synapse_ls.storage.audit_log import parse_line, read_lines
from synapse_ls.text.fast_json import dumps
from synapse_ls.text.user_error import UserError
from synapse_ls.version import VERSION
from synapse_ls.workspace.user_folders import audit_folder

_BATCH = 500  # records of a line of OTLP


def export_lines(since: float) -> bytes:
    """Return the lines of the audit log that are not older than ``since``, in seconds since 1970,
    as they are: what verifies them needs every byte.
    """
    return b"".join(line + b"\n" for _, line, _ in _records(since))


def _records(since: float) -> Iterator[tuple[float, bytes, dict[str, Any] | None]]:
    """Yield when each line was written, the line, and its record; None for a damaged one."""
    for _, _, line in read_lines(audit_folder()):
        record = parse_line(line)
        moment = datetime.fromisoformat(record["time"]).timestamp() if record else since
        if moment >= since:
            yield moment, line, record


def export_otlp(since: float) -> bytes:
    """Return the same as requests for logs, one on each line; raise UserError without the extra."""
    try:
        from google.protobuf.json_format import MessageToJson
        from opentelemetry._logs import LogRecord, SeverityNumber
        from opentelemetry.exporter.otlp.proto.common._log_encoder import encode_logs
        from opentelemetry.sdk._logs import ReadableLogRecord
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.util.instrumentation import InstrumentationScope
    except ImportError as error:
        raise UserError(
            "OpenTelemetry's library is not installed.", 'Install "synapse-ls[otel]".'
        ) from error
    resource = Resource({"service.name": "synapse-ls", "service.version": VERSION})
    scope = InstrumentationScope("synapse_ls.audit", VERSION)
    readable = []
    for moment, _, record in _records(since):
        if record is None:
            raise UserError("The audit log is damaged.", "`synapse log --verify` says where.")
        severity = SeverityNumber.WARN if record.get("decision") else SeverityNumber.INFO
        log = LogRecord(
            timestamp=int(moment * 1e9),
            observed_timestamp=int(moment * 1e9),
            severity_number=severity,
            severity_text=severity.name,
            event_name=f"synapse.{record['kind']}",
            body=dumps(record, indent=None),
            attributes={f"synapse.{name}": value for name, value in record.items()},
        )
        readable.append(ReadableLogRecord(log, resource, scope))
    batches = (readable[at : at + _BATCH] for at in range(0, len(readable), _BATCH))
    texts = (MessageToJson(encode_logs(batch), indent=None) for batch in batches)
    return "".join(f"{text}\n" for text in texts).encode()
