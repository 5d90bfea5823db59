"""Import ruamel.yaml's C parser (`CParser`, None without one) and `YAMLError`, and little else.

The parser's module imports all of the library, mostly for classes of errors. That takes longer than
starting Python, and a prompt waits for it.
"""

import sys
from types import ModuleType

import ruamel

_LIBRARY = "ruamel.yaml"
_PARSER = "_ruamel_yaml"
# Modules of the library, and the class of an error that the parser has of each.
_UNUSED = {
    "reader": "ReaderError", "scanner": "ScannerError", "parser": "ParserError",
    "composer": "ComposerError", "constructor": "ConstructorError", "emitter": "EmitterError",
    "serializer": "SerializerError", "representer": "RepresenterError",
}  # fmt: skip


def _import_parser_alone() -> None:
    """Import the C parser with empty modules in the place of those that it does not use.

    They are gone afterwards: whoever imports the library gets all of it. Where another version asks
    for more, nothing is left, and the usual import does it.
    """
    library = ModuleType(_LIBRARY)
    library.__path__ = [f"{folder}/yaml" for folder in ruamel.__path__]
    placed = {_LIBRARY: library}
    sys.modules[_LIBRARY] = library
    try:
        from ruamel.yaml.error import MarkedYAMLError

        for name, error in _UNUSED.items():
            module = ModuleType(f"{_LIBRARY}.{name}")
            setattr(module, error, type(error, (MarkedYAMLError,), {}))
            placed[module.__name__] = sys.modules[module.__name__] = module
        __import__(_PARSER)
    except (ImportError, AttributeError):
        sys.modules.pop(_PARSER, None)
    finally:
        for name, module in placed.items():
            if sys.modules.get(name) is module:
                del sys.modules[name]


if _PARSER not in sys.modules and _LIBRARY not in sys.modules:
    _import_parser_alone()
try:
    from _ruamel_yaml import CParser
except ImportError:  # ruamel.yaml.clib exists for CPython only
    CParser = None
from ruamel.yaml.error import YAMLError  # noqa: E402 - after the parser, so that it comes alone

__all__ = ["CParser", "YAMLError"]
