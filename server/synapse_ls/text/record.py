"""Classes that only hold fields, declared once, as dataclasses do where those may be imported."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, dataclass_transform

    @dataclass_transform()
    class Record:
        """The annotated fields of a class, given by place or by name."""

else:

    class Record:
        """The annotated fields of a class, given by place or by name."""

        def __init__(self, *values: Any, **fields: Any) -> None:
            attributes = vars(self)
            attributes.update(fields)
            if values:
                attributes.update(zip(type(self).__annotations__, values, strict=False))
