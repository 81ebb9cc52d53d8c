"""Does the script observe what its symptom needs, and by what the project did?"""

import ast
import difflib

from .flow import Flow
from .problems import Problem
from .script import string_of

_NOT_A_NUMBER = {"nan", "inf", "-inf", "infinity", "-infinity"}


def find(script, modules, symptom):
    """Problems of the kinds no-observation and mimic."""
    assigned, is_open = _assignments(script)
    needed = _needed(symptom)
    if needed and not is_open:
        yield from _missing(script, assigned, needed)
    flow = Flow(script, modules, measures=True)
    for name in needed:
        yield from _pretended(name, [one for one in assigned if one[0] == name], flow, symptom["kind"])


def _pretended(name, assigned, flow, kind):
    """Values that the project has no part in; one that a later value of the project's replaces is only a default."""
    dependent = [
        value.lineno for _, value, decides in assigned if flow.touches(value) or any(map(flow.touches, decides))
    ]
    for _, value, _decides in assigned:
        if value.lineno > max(dependent, default=0):
            text = "observed[%r] does not depend on anything that the project did: observe what its code returned."
            yield Problem("mimic", value.lineno, text % name)
        elif kind == "not-finite" and any(map(_is_not_finite, ast.walk(value))):
            text = "observed[%r] holds a NaN or infinity written in the script: observe what the project computed."
            yield Problem("mimic", value.lineno, text % name)


def _needed(symptom):
    reference = symptom.get("reference") or {}
    return [name for name in (symptom.get("observation"), reference.get("observation")) if name]


def _missing(script, assigned, needed):
    there = sorted({name for name, _, _ in assigned})
    if there and "observed" not in script.globals:
        line = min(value.lineno for _, value, _ in assigned)
        yield Problem("no-observation", line, "`observed` is no dictionary at the top level of the script.")
    for name in needed:
        if name not in there:
            near = difflib.get_close_matches(name, there, 3, 0.5) or there
            told = "it assigns only " + ", ".join(map(repr, near)) if near else "it assigns nothing to `observed`"
            text = "The check needs observed[%r], a top-level dictionary's entry; %s."
            yield Problem("no-observation", 1, text % (name, told))


def _assignments(script):
    """([(name, value, what decides whether it runs)], is_open) of `observed`; open when names are not written out."""
    found, is_open = [], False
    stack = [(script.tree, ())]
    while stack:
        node, decides = stack.pop()
        for name, value in _assigned_by(node):
            if name is None:
                is_open = True
            else:
                found.append((name, value, decides))
        if isinstance(node, (ast.If, ast.While)):
            decides += (node.test,)
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            decides += (node.iter,)
        elif isinstance(node, ast.Try):
            decides += tuple(node.body)
        stack.extend((child, decides) for child in ast.iter_child_nodes(node))
    return found, is_open


def _assigned_by(node):
    """(name, value) pairs that one statement or call puts into `observed`; name None when it is not written out."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _is_observed(node.func.value):
        if node.func.attr == "update":
            yield from ((keyword.arg, keyword.value) for keyword in node.keywords)
            for argument in node.args:
                yield from _entries(argument)
        elif node.func.attr in ("setdefault", "__setitem__") and len(node.args) == 2:
            yield string_of(node.args[0]), node.args[1]
    if isinstance(node, ast.AugAssign) and _is_observed(node.target):
        yield from _entries(node.value)
    if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            yield from _assigned_to(target, node.value)


def _assigned_to(target, value):
    if _is_observed(target):
        yield from _entries(value)
    elif isinstance(target, ast.Subscript) and _is_observed(target.value):
        key = target.slice
        yield string_of(getattr(key, "value", key) if type(key).__name__ == "Index" else key), value
    elif isinstance(target, (ast.Tuple, ast.List)):
        for part in target.elts:
            yield from _assigned_to(part, value)


def _entries(value):
    if isinstance(value, ast.Dict):
        yield from ((key and string_of(key), item) for key, item in zip(value.keys, value.values))
    elif isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "dict":
        yield from ((keyword.arg, keyword.value) for keyword in value.keywords)
        for argument in value.args:
            yield from _entries(argument)
    else:
        yield None, value


def _is_observed(node):
    return isinstance(node, ast.Name) and node.id == "observed"


def _is_not_finite(node):
    if isinstance(node, ast.Attribute):
        return node.attr in ("nan", "NaN", "inf")
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "float" and node.args:
        return (string_of(node.args[0]) or "").lower() in _NOT_A_NUMBER
    return False
