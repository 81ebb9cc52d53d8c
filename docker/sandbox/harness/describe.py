"""Tells what can be told of a script without running it.

    python describe.py SPEC.json

SPEC.json: ``script``, ``project`` and ``result`` (absolute paths). The result is JSON: ``parses``; if not, ``message``
and ``line``; if so, ``undefinedNames``, ``statements`` and ``keywords`` (see repgen_check/keywords.py). Lines are
1-based, columns 0-based in bytes of UTF-8.
"""

import json
import sys

from repgen_check.definitions import Definitions
from repgen_check.keywords import keyword_spans
from repgen_check.modules import Modules
from repgen_check.script import Script


def describe(spec):
    with open(spec["script"], "rb") as file:
        source = file.read()
    try:
        script = Script(source)
    except (SyntaxError, ValueError, RecursionError) as error:
        message, line = getattr(error, "msg", error), getattr(error, "lineno", None)
        return {"parses": False, "message": str(message), "line": line or 1}
    definitions = Definitions(Modules(spec["project"], []))
    return {
        "parses": True,
        "undefinedNames": [
            {"name": name, "line": line} for name, line in script.undefined(definitions.star_names)
        ],
        "statements": [
            {"startLine": _first_line(node), "endLine": node.end_lineno} for node in script.tree.body
        ],
        "keywords": keyword_spans(source, script.tree),
    }


def _first_line(node):
    return min([node.lineno] + [decorator.lineno for decorator in getattr(node, "decorator_list", [])])


def main(spec_path):
    with open(spec_path, encoding="utf-8") as file:
        spec = json.load(file)
    # The harness's own folder is not where the script's imports come from.
    sys.path.pop(0)
    with open(spec["result"], "w", encoding="utf-8") as file:
        json.dump(describe(spec), file)


main(sys.argv[1])
