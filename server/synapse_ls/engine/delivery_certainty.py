"""This module names how certain it is that a text which a reply has delivered stands before the
model.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

STANDS: Final = "stands"  # it is there from now on
PASSES: Final = "passes"  # it is there for this turn; perhaps later, too
UNSURE: Final = "unsure"  # it may have been dropped
