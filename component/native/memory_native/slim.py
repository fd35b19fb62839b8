"""Keeps an HTTP client out of the component. Imported before anything else, by `app` alone.

jsonschema imports `urllib.request` for references to other hosts, which are refused here
before it could use it. With it come http, email and socket modules, half a megabyte of
the compressed component and code that has no place in a sandbox.
"""

import sys
from types import ModuleType


def _no_network(*_: object, **__: object) -> object:
    raise OSError


_request = ModuleType("urllib.request")
_request.urlopen = _no_network  # type: ignore[attr-defined]
sys.modules["urllib.request"] = _request
