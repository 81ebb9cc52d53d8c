"""Checks a candidate without running it and without importing the project.

    python check.py SPEC.json

SPEC.json: ``script``, ``project`` and ``result`` (absolute paths), ``symptom``, ``packages`` (import names of the
project) and ``from`` ("reporter" or "model"). The result is JSON: problems, each with kind, line and message. Kinds:
syntax, unknown-import, unknown-name, unknown-argument, mimic, forbidden, no-observation.

What the source does not settle counts as fine: what runs tells it. The checks against pretending catch the ways that
a language model takes when it cannot make the bug show, not everything that a determined author could write.
"""

import json
import sys

from repgen_check import forbidden, mimics, observed, references
from repgen_check.definitions import Definitions
from repgen_check.modules import Modules
from repgen_check.problems import Problem
from repgen_check.script import Script


def check(spec):
    with open(spec["script"], "rb") as file:
        source = file.read()
    try:
        script = Script(source)
    except (SyntaxError, ValueError, RecursionError) as error:
        text = "It does not parse: %s." % getattr(error, "msg", error)
        return [Problem("syntax", getattr(error, "lineno", None) or 1, text)]
    modules = Modules(spec["project"], spec["packages"])
    definitions = Definitions(modules)
    problems = references.find(script, modules, definitions)
    problems += forbidden.find(script)
    problems += mimics.find(script, modules, definitions, spec)
    problems += observed.find(script, modules, spec["symptom"])
    return sorted(set(problems), key=lambda problem: (problem.line, problem.kind, problem.message))


def main(spec_path):
    with open(spec_path, encoding="utf-8") as file:
        spec = json.load(file)
    # The harness's own folder is not where the script's imports come from.
    sys.path.pop(0)
    problems = [problem._asdict() for problem in check(spec)]
    with open(spec["result"], "w", encoding="utf-8") as file:
        json.dump({"problems": problems}, file)


main(sys.argv[1])
