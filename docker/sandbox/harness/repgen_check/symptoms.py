"""Does a script make the symptom by itself?"""

import ast

from .problems import Problem
from .script import string_of

_PRINTING = ("print", "write", "info", "warning", "error", "critical", "exception", "log", "debug")
_CRASHES = ("os.abort", "os.kill", "os.killpg", "signal.raise_signal", "signal.alarm", "signal.setitimer")
_WAITS = ("time.sleep", "signal.pause", "builtins.input", "signal.sigwait")
# Characters of a message from which on it is not held by chance.
_TELLING = 8
_WARNS = ("warnings.warn", "warnings.warn_explicit", "warnings.showwarning")


def find(script, symptom, author):
    """Problems of the kind mimic; `author` is "reporter" or "model"."""
    kind = symptom["kind"]
    if kind == "exception":
        yield from _raises(script, symptom)
        yield from _plants(script, symptom["message"])
    elif kind == "crash":
        yield from _calls(script, _CRASHES, "It ends itself by %s: only the project's code may crash.")
    elif kind == "hang":
        yield from _waits(script, symptom["afterSeconds"])
    elif kind == "warning":
        yield from _calls(script, _WARNS, "It warns by itself with %s: only the project's code may.")
    message = symptom.get("message")
    if message and author == "model":
        yield from _prints(script, message)


def _raises(script, symptom):
    bases = {node.name: node.bases for node in script.nodes if isinstance(node, ast.ClassDef)}
    caught = _caught_names(script)
    for node in script.nodes:
        if isinstance(node, ast.Assert) and symptom["type"] in (None, "AssertionError", "Exception"):
            text = "It asserts by itself, which raises the symptom: put what is seen into `observed`, or leave it out."
            yield Problem("mimic", node.lineno, text)
        elif isinstance(node, ast.Raise) and node.exc is not None and node not in caught:
            if _raises_symptom(node.exc, symptom, bases):
                text = "It raises the symptom by itself: let the project's code raise, and let the exception go."
                yield Problem("mimic", node.lineno, text)


def _raises_symptom(raised, symptom, bases):
    message = symptom["message"]
    if message and any(message in text for text in _texts(raised)):
        return True
    head = raised.func if isinstance(raised, ast.Call) else raised
    name = head.attr if isinstance(head, ast.Attribute) else getattr(head, "id", None)
    if symptom["type"] in (None, "Exception", "BaseException"):
        return name not in ("SystemExit", "StopIteration", "IndexError", "NotImplementedError")
    if name is None or name.islower():
        # A variable or the result of a call: its type is not written out.
        return True
    return symptom["type"] in _with_bases(name, bases)


def _plants(script, message):
    """An exception, or its text, that the script hands to the project or writes over one of the project's."""
    for node in script.nodes:
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load) and node.attr in ("args", "side_effect"):
            yield Problem("mimic", node.lineno, "It makes up what is raised (%s): only the project's code may raise." % node.attr)
        elif isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", None))
            if name in ("set_exception", "throw") or any(keyword.arg == "side_effect" for keyword in node.keywords):
                yield Problem("mimic", node.lineno, "It plants an exception: only the project's code may raise.")
    if message and len(message) >= _TELLING:
        harmless = _compared_or_printed(script)
        for node in script.nodes:
            text = string_of(node)
            if text is not None and node not in harmless and message in text:
                text = "It holds the reported message itself: only the project's code may come up with that."
                yield Problem("mimic", node.lineno, text)


def _compared_or_printed(script):
    """Strings that are compared, printed, or a statement of their own; those that are raised are told already."""
    found = set()
    for node in script.nodes:
        is_printed = isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", None)) in _PRINTING
        is_alone = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if is_printed or is_alone or isinstance(node, (ast.Compare, ast.Raise, ast.Assert)):
            found.update(ast.walk(node))
    return found


def _with_bases(name, bases):
    found, waiting = set(), [name]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += [getattr(base, "attr", getattr(base, "id", None)) for base in bases.get(name, [])]
    return found


def _caught_names(script):
    """``raise error`` statements of a handler that caught that very error."""
    found = set()
    for handler in script.nodes:
        if isinstance(handler, ast.ExceptHandler) and handler.name:
            for node in ast.walk(handler):
                if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Name) and node.exc.id == handler.name:
                    found.add(node)
    return found


def _calls(script, paths, text):
    for node in script.nodes:
        path = script.path_of(node.func) if isinstance(node, ast.Call) else None
        if path in paths:
            yield Problem("mimic", node.lineno, text % path)


def _waits(script, after_seconds):
    for node in script.nodes:
        if isinstance(node, ast.Call) and script.path_of(node.func) in _WAITS:
            length = node.args[0].value if node.args and isinstance(node.args[0], ast.Constant) else after_seconds
            if not isinstance(length, (int, float)) or length >= after_seconds / 10:
                yield Problem("mimic", node.lineno, "It waits by itself: only the project's code may hang.")
        elif isinstance(node, ast.While) and isinstance(node.test, ast.Constant) and node.test.value:
            leaves = (ast.Break, ast.Return, ast.Raise)
            if not any(isinstance(child, leaves) for child in ast.walk(node)):
                yield Problem("mimic", node.lineno, "It loops for ever by itself: only the project's code may hang.")


def _prints(script, message):
    for node in script.nodes:
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "attr", getattr(node.func, "id", None))
        if name in _PRINTING and any(message in text for part in node.args for text in _texts(part)):
            text = "It prints the reported message by itself; what a script prints does not count: leave it out."
            yield Problem("mimic", node.lineno, text)


def _texts(node):
    """String constants in an expression; an f-string's parts as one."""
    for child in ast.walk(node):
        if isinstance(child, ast.JoinedStr):
            yield "".join(string_of(part) or "" for part in child.values)
        elif string_of(child) is not None:
            yield child.value
