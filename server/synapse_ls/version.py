"""The version of this distribution; packaging reads it from here.

Asking ``importlib.metadata`` would cost every start a tenth of a bare language server's.
"""

VERSION = "0.1.0"
