"""Does a script only pretend to show the symptom?

It does when it raises, prints or warns it by itself, changes or redefines the project's code, or never uses it.
"""

import ast

from . import patches, symptoms
from .flow import Flow
from .problems import Problem

_COMMON_CLASSES = {"Model", "Net", "Config", "Args", "Dataset", "Namespace", "Dummy"}


def find(script, modules, definitions, spec):
    """Problems of the kind mimic, those of `observed` left out."""
    yield from symptoms.find(script, spec["symptom"], spec["from"])
    yield from patches.find(script, modules, definitions, spec["from"])
    yield from _redefinitions(script, modules, definitions, spec)
    yield from _reach(script, modules)


def _reach(script, modules):
    """The script has to import the project and to use what it imports, in code that can run."""
    tops = modules.tops()
    if not tops:
        return
    flow = Flow(script, modules)
    live = _live_nodes(script.tree)
    used = [node for node in live if isinstance(node, (ast.Name, ast.Call)) and flow.touches(node)]
    if not used:
        text = "It never uses the project's code: import it (%s) and let it run."
        yield Problem("mimic", 1, text % ", ".join((list(modules.packages) or tops)[:8]))


def _live_nodes(tree):
    """All nodes but those of blocks whose condition is written out as false, and of imports."""
    stack, found = [tree], []
    while stack:
        node = stack.pop()
        found.append(node)
        children = list(ast.iter_child_nodes(node))
        if isinstance(node, (ast.If, ast.While)) and isinstance(node.test, ast.Constant) and not node.test.value:
            children = node.orelse
        stack.extend(children)
    return found


def _redefinitions(script, modules, definitions, spec):
    """Top-level definitions by the name of one of the project's packages, but for subclasses of it."""
    flow = Flow(script, modules)
    for node in script.tree.body:
        if not isinstance(node, (ast.ClassDef, ast.FunctionDef)) or node.name in _COMMON_CLASSES:
            continue
        if isinstance(node, ast.FunctionDef) and (spec["from"] == "reporter" or "_" not in node.name.strip("_")):
            # Short names such as `exists` and `main` are everybody's.
            continue
        if isinstance(node, ast.ClassDef) and any(flow.touches(base) for base in node.bases):
            continue
        kind = "class" if isinstance(node, ast.ClassDef) else "function"
        home = definitions.home_of(node.name, (kind,))
        if home:
            text = "It defines %s itself, which is the project's: import it from %s."
            yield Problem("mimic", node.lineno, text % (node.name, home))
