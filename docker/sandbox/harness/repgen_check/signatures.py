"""What a function or class of the project takes, and whether a call fits."""

import ast
from collections import namedtuple

# positional: names in order; required: names without default; keywords: names that can be given by keyword.
Signature = namedtuple("Signature", "label positional required keywords takes_more_positional takes_more_keywords")

# Decorators that leave a function's arguments as they are.
_TRANSPARENT = {
    "no_grad", "inference_mode", "beartype", "typechecked", "typecheck", "jaxtyped", "lru_cache", "cache",
    "abstractmethod", "ignore", "unused", "disable", "autocast",
}  # fmt: skip
_MOST_BASES = 20


def of(symbol, definitions):
    """The Signature of calling a symbol of the project; None when its source does not settle it."""
    if symbol.kind == "function":
        return _of_function(symbol.node, symbol.node.name, skip_first=False)
    if symbol.kind == "class":
        return _of_class(symbol, definitions)
    return None


def misfits(call, signature):
    """Sentences on what is wrong with the call's arguments."""
    if any(isinstance(argument, ast.Starred) for argument in call.args):
        return []
    given = [keyword.arg for keyword in call.keywords]
    told = describe(signature)
    if not signature.takes_more_positional and len(call.args) > len(signature.positional):
        yield "%s takes at most %d positional arguments, not %d: %s" % (
            signature.label, len(signature.positional), len(call.args), told,
        )  # fmt: skip
    for name in given:
        if name is not None and name not in signature.keywords and not signature.takes_more_keywords:
            yield "%s has no argument %r: %s" % (signature.label, name, told)
    if None in given:
        return
    filled = set(signature.positional[: len(call.args)]) | set(given)
    missing = [name for name in signature.required if name not in filled]
    if missing:
        yield "%s needs %s: %s" % (signature.label, ", ".join(map(repr, missing)), told)


def describe(signature):
    parts = [name if name in signature.required else name + "=…" for name in signature.positional]
    only = [name for name in signature.keywords if name not in signature.positional]
    if signature.takes_more_positional:
        parts.append("*args")
    elif only:
        parts.append("*")
    parts += [name if name in signature.required else name + "=…" for name in only]
    if signature.takes_more_keywords:
        parts.append("**kwargs")
    return "it is %s(%s)" % (signature.label, ", ".join(parts))


def _of_function(node, label, skip_first):
    if not all(_name_of(decorator) in _TRANSPARENT for decorator in node.decorator_list):
        return None
    arguments = node.args
    only_positional = [argument.arg for argument in arguments.posonlyargs]
    both = [argument.arg for argument in arguments.args]
    positional = (only_positional + both)[1 if skip_first else 0 :]
    optional = len(arguments.defaults)
    required = positional[: len(positional) - optional] if optional else list(positional)
    only = [argument.arg for argument in arguments.kwonlyargs]
    required += [name for name, default in zip(only, arguments.kw_defaults) if default is None]
    keywords = [name for name in positional if name not in only_positional] + only
    return Signature(label, positional, required, keywords, arguments.vararg is not None, arguments.kwarg is not None)


def _of_class(symbol, definitions):
    """Through the first `__init__` of the class and its bases in the project, or the fields of a dataclass."""
    node, label = symbol.node, symbol.node.name
    for _ in range(_MOST_BASES):
        methods = {child.name: child for child in node.body if isinstance(child, ast.FunctionDef)}
        if node.keywords or "__new__" in methods:
            return None
        if "__init__" in methods:
            fine = all(_name_of(decorator) in _TRANSPARENT for decorator in node.decorator_list)
            return _of_function(methods["__init__"], label, skip_first=True) if fine else None
        if node.decorator_list:
            return _of_dataclass(node, label)
        if len(node.bases) != 1:
            return None
        symbol = _base(symbol, node.bases[0], definitions)
        if symbol is None or symbol.kind != "class":
            return None
        node = symbol.node
    return None


def _of_dataclass(node, label):
    decorator = node.decorator_list[0]
    plain = isinstance(decorator, (ast.Name, ast.Attribute)) and _name_of(decorator) == "dataclass"
    if len(node.decorator_list) != 1 or not plain or node.bases:
        return None
    names, required = [], []
    for child in node.body:
        if not isinstance(child, ast.AnnAssign) or not isinstance(child.target, ast.Name):
            continue
        if "ClassVar" in ast.dump(child.annotation):
            continue
        if "KW_ONLY" in ast.dump(child.annotation) or isinstance(child.value, ast.Call):
            # field(…) and keyword-only fields have rules of their own.
            return None
        names.append(child.target.id)
        if child.value is None:
            required.append(child.target.id)
    return Signature(label, names, required, names, False, False)


def _base(symbol, expression, definitions):
    parts = []
    while isinstance(expression, ast.Attribute):
        parts.append(expression.attr)
        expression = expression.value
    if not isinstance(expression, ast.Name):
        return None
    found = definitions.lookup(symbol.module, expression.id)
    for part in reversed(parts):
        found = definitions.lookup(found.module, part) if found and found.kind == "module" else None
    return found


def _name_of(node):
    if isinstance(node, ast.Call):
        node = node.func
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", None)
