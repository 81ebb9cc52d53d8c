"""Do the modules, names and arguments exist that a script uses?"""

import ast
import difflib

from . import signatures
from .problems import Problem

_MOST_NAMES = 12


def find(script, modules, definitions):
    """Problems of the kinds unknown-import, unknown-name and unknown-argument."""
    problems = list(_imports(script, modules, definitions))
    problems += _attributes(script, modules, definitions)
    for name, line in script.undefined(definitions.star_names):
        problems.append(Problem("unknown-name", line, "%r is used but never defined or imported." % name))
    return problems


def _imports(script, modules, definitions):
    guarded = _guarded(script)
    for node in script.nodes:
        if node in guarded:
            continue
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _module(alias.name, node.lineno, modules)
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                yield Problem("unknown-import", node.lineno, "A script cannot import relatively: name the package.")
                continue
            missing = list(_module(node.module, node.lineno, modules))
            yield from missing
            if not missing and modules.is_project(node.module):
                for alias in node.names:
                    if alias.name != "*" and definitions.resolve(node.module + "." + alias.name)[1]:
                        yield _absent("unknown-import", node.lineno, node.module, alias.name, definitions)


def _module(name, line, modules):
    if modules.is_project(name):
        if modules.place(name) is None:
            parent = name.rpartition(".")[0]
            while modules.place(parent) is None:
                parent = parent.rpartition(".")[0]
            there = modules.submodules(modules.place(parent))
            text = "There is no module %s in the project; %s has %s."
            yield Problem("unknown-import", line, text % (name, parent, _nearest(name.rpartition(".")[2], there)))
    elif not modules.installed(name):
        top = name.split(".")[0]
        if modules.installed(top):
            yield Problem("unknown-import", line, "The package %s has no module %s." % (top, name))
        else:
            text = "The package %s is not installed, and cannot be. The project itself has: %s."
            yield Problem("unknown-import", line, text % (top, _nearest(top, modules.tops())))


def _attributes(script, modules, definitions):
    """Attributes of the project's modules, and calls of its functions and classes."""
    inner = {node.value for node in script.nodes if isinstance(node, ast.Attribute)}
    for node in script.nodes:
        if isinstance(node, (ast.Attribute, ast.Name)) and isinstance(node.ctx, ast.Load) and node not in inner:
            missing = _resolve(node, script, modules, definitions)[1]
            if missing and isinstance(node, ast.Attribute):
                yield _absent("unknown-name", node.lineno, missing[0], missing[1], definitions)
        if isinstance(node, ast.Call):
            symbol = _resolve(node.func, script, modules, definitions)[0]
            signature = symbol and signatures.of(symbol, definitions)
            for sentence in signatures.misfits(node, signature) if signature else []:
                yield Problem("unknown-argument", node.lineno, sentence + ".")


def _resolve(node, script, modules, definitions):
    path = script.path_of(node)
    return definitions.resolve(path) if path and modules.is_project(path) else (None, None)


def _absent(kind, line, module, name, definitions):
    home = definitions.home_of(name)
    if home:
        return Problem(kind, line, "The module %s has no %r: import it from %s." % (module, name, home))
    text = "The module %s has no %r; it has %s."
    return Problem(kind, line, text % (module, name, _nearest(name, definitions.names(module))))


def _nearest(name, names):
    """The names most like `name`, for a sentence."""
    near = difflib.get_close_matches(name, names, _MOST_NAMES // 2, 0.5)
    public = [other for other in names if not other.startswith("_") and other not in near]
    return ", ".join((near + public)[:_MOST_NAMES]) or "nothing to import"


def _guarded(script):
    """Imports in a ``try`` that has an ``except``: the script may do without them."""
    found = set()
    for node in script.nodes:
        if isinstance(node, ast.Try) and node.handlers:
            for statement in node.body:
                found.update(ast.walk(statement))
    return found
