"""Export the audit log as OpenTelemetry log records in OTLP's JSON. Nothing is sent.

Written by OpenTelemetry's own library, an extra:
https://opentelemetry.io/docs/specs/otel/protocol/file-exporter/
"""

import json

from google.protobuf.json_format import MessageToJson
from opentelemetry._logs import LogRecord, SeverityNumber
from opentelemetry.exporter.otlp.proto.common._log_encoder import encode_logs
from opentelemetry.sdk._logs import ReadableLogRecord
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.util.instrumentation import InstrumentationScope

from synapse_ls.storage.audit_log import records_since
from synapse_ls.text.fast_json import dumps
from synapse_ls.text.user_error import UserError
from synapse_ls.version import VERSION

_BATCH = 500  # records of a line of OTLP
_MOST_NANOSECONDS = 2**64 - 1  # fixed64
_INTEGERS = range(-(2**63), 2**63)  # int64


def export_otlp(since: float) -> bytes:
    """Return the lines of the audit log that are not older than ``since``, in seconds since 1970,
    as requests for logs, one on each line.
    """
    resource = Resource({"service.name": "synapse-ls", "service.version": VERSION})
    scope = InstrumentationScope("synapse_ls.audit", VERSION)
    readable = []
    for moment, _, record in records_since(since):
        if record is None:
            raise UserError("The audit log is damaged.", "`synapse log --verify` says where.")
        severity = SeverityNumber.WARN if record.get("decision") else SeverityNumber.INFO
        time = min(int(moment * 1e9), _MOST_NANOSECONDS)
        body = dumps(record, indent=None)
        # Others may have handed in a record whose numbers the protocol has no room for.
        attributes = json.loads(
            body, parse_int=lambda d: int(d) if len(d) <= 20 and int(d) in _INTEGERS else d
        )
        log = LogRecord(
            timestamp=time,
            observed_timestamp=time,
            severity_number=severity,
            severity_text=severity.name,
            event_name=f"synapse.{record['kind']}",
            body=body,
            attributes={f"synapse.{name}": value for name, value in attributes.items()},
        )
        readable.append(ReadableLogRecord(log, resource, scope))
    batches = (readable[at : at + _BATCH] for at in range(0, len(readable), _BATCH))
    texts = (
        MessageToJson(encode_logs(batch), indent=None, use_integers_for_enums=True)
        for batch in batches
    )
    return "".join(f"{text}\n" for text in texts).encode()
