"""Reads the keywords of the `setup(…)` call of a setup.py as far as they can be told without running it."""

import ast
import warnings

MAX_DEPTH = 20
MAX_STEPS = 20000


class Unknown(Exception):
    """The value depends on something that only a run would tell."""


class SetupScript:
    def __init__(self, text):
        self.problem = None
        self.steps = 0
        self.assigned = {}
        self.functions = {}
        self.keywords = {}
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            self.problem = "cannot be parsed: %s" % (getattr(error, "msg", None) or error)
            return
        for node in ast.walk(tree):
            self.note(node)
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and called(node) == "setup":
                self.note_setup(node)

    def note(self, node):
        if isinstance(node, ast.FunctionDef):
            self.functions[node.name] = node
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            self.assigned[node.target.id] = node.value
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    self.assigned[target.id] = node.value
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            before = self.assigned.get(node.target.id)
            if before is not None and isinstance(node.op, ast.Add):
                self.assigned[node.target.id] = ast.BinOp(before, ast.Add(), node.value)
        elif isinstance(node, ast.With):
            for item in node.items:
                if isinstance(item.optional_vars, ast.Name):
                    self.assigned[item.optional_vars.id] = item.context_expr

    def note_setup(self, call):
        for keyword in call.keywords:
            if keyword.arg:
                self.keywords[keyword.arg] = keyword.value
                continue
            node = keyword.value
            if isinstance(node, ast.Name):
                node = self.assigned.get(node.id)
            if isinstance(node, ast.Dict):
                for key, value in zip(node.keys, node.values):
                    if isinstance(key, ast.Constant):
                        self.keywords[key.value] = value
            elif isinstance(node, ast.Call) and called(node) == "dict":
                self.keywords.update((inner.arg, inner.value) for inner in node.keywords if inner.arg)

    def string(self, name):
        try:
            value = self.value(self.keywords.get(name), 0)
        except Unknown:
            return None
        return value if isinstance(value, str) else None

    def strings(self, name):
        """The keyword's strings; empty when it is not there, None when only a run would tell."""
        if name not in self.keywords:
            return []
        try:
            value = self.value(self.keywords[name], 0)
        except Unknown:
            return None
        if isinstance(value, str):
            return [line.strip() for line in value.splitlines() if line.strip()]
        if isinstance(value, (list, tuple)) and all(isinstance(item, str) for item in value):
            return list(value)
        return [] if value is None else None

    def value(self, node, depth):
        """What a literal expression over assigned names amounts to."""
        self.steps += 1
        if depth > MAX_DEPTH or self.steps > MAX_STEPS:
            raise Unknown

        def evaluate(inner):
            return self.value(inner, depth + 1)

        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            return [evaluate(item) for item in node.elts]
        if isinstance(node, ast.Dict):
            return {str(evaluate(key)): evaluate(value) for key, value in zip(node.keys, node.values)}
        if isinstance(node, ast.Name) and node.id in self.assigned:
            return evaluate(self.assigned[node.id])
        if isinstance(node, ast.JoinedStr):
            return "".join(str(evaluate(part)) for part in node.values)
        if isinstance(node, ast.FormattedValue) and node.format_spec is None:
            return evaluate(node.value)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return added(evaluate(node.left), evaluate(node.right))
        if isinstance(node, ast.Subscript):
            return item_of(evaluate(node.value), evaluate(subscript(node)))
        if isinstance(node, ast.Call) and called(node) in ("list", "sorted", "tuple") and len(node.args) == 1:
            return evaluate(node.args[0])
        raise Unknown

    def files_of(self, name):
        """Text files named where the keyword's value comes from, through names and functions."""
        found, seen, waiting = [], set(), [self.keywords.get(name)]
        while waiting:
            node = waiting.pop()
            for inner in ast.walk(node) if node is not None else ():
                if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
                    if inner.value.endswith((".txt", ".in")) and inner.value not in found:
                        found.append(inner.value.lstrip("./"))
                elif isinstance(inner, ast.Name) and inner.id not in seen:
                    seen.add(inner.id)
                    waiting += [self.assigned.get(inner.id), self.functions.get(inner.id)]
        return found


def called(call):
    return getattr(call.func, "attr", None) or getattr(call.func, "id", None)


def added(left, right):
    if type(left) is not type(right) or not isinstance(left, (str, list)) or len(left) + len(right) > MAX_STEPS:
        raise Unknown
    return left + right


def subscript(node):
    """The key's expression, which Python 3.8 wraps."""
    return node.slice.value if type(node.slice).__name__ == "Index" else node.slice


def item_of(container, key):
    try:
        return container[key]
    except (KeyError, IndexError, TypeError):
        raise Unknown from None
