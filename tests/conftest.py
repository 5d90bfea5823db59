"""What holds for every test."""

from __future__ import annotations

from hypothesis import settings

# Wall time says more about what else the machine does than about an example. What never ends is
# stopped by pytest's own timeout, and what must be fast is measured where nothing else runs.
settings.register_profile("synapse-ls", deadline=None)
settings.load_profile("synapse-ls")
