"""What no candidate may do: reach for the harness, or for the network and the system."""

import ast
import re

from .problems import Problem
from .script import string_of

_HARNESS = "it reaches for the harness that watches the script"
_SYSTEM = "it leaves Python for the system"
_PATHS = {
    "sys": {"settrace", "setprofile", "monitoring", "addaudithook", "_current_frames", "_getframe", "meta_path"},
    "threading": {"settrace", "setprofile", "settrace_all_threads", "setprofile_all_threads"},
    "os": {"_exit", "fdopen", "memfd_create", "getppid", "kill", "killpg", "dup", "dup2", "closerange"},
    "signal": {"pthread_kill", "raise_signal", "pthread_sigmask"},
    "inspect": {"stack", "currentframe", "getouterframes", "getinnerframes", "trace"},
    "gc": {"get_objects", "get_referrers", "get_referents"},
    "resource": {"setrlimit", "prlimit"},
    "builtins": {"exec", "eval", "compile"},
}
_SYSTEM_CALLS = re.compile(r"os\.(system|popen|exec\w*|spawn\w*|posix_spawn\w*)$|pty\.")
_WHOLE_MODULES = {"ctypes", "faulthandler", "_ctypes", "cffi", "_posixsubprocess", "_testcapi"}
_ATTRIBUTES = {"f_back", "f_globals", "f_locals", "f_builtins", "tb_frame", "gi_frame", "cr_frame", "ag_frame"}
_PLACES = re.compile(r"/(out|job|harness)(/|$)|/proc(/|$)")
_MEASURES = re.compile(r"/proc/(meminfo|cpuinfo|stat|loadavg|self/(status|statm|stat|smaps\w*|io))$")
_NETWORK = {"pip", "pip3", "curl", "wget", "git", "apt", "apt-get", "conda", "mamba", "uv", "ssh", "scp", "nc"}


def find(script):
    """Problems of the kind forbidden."""
    for node in script.nodes:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from _imports(node)
        elif isinstance(node, (ast.Attribute, ast.Name)):
            yield from _path(node, script)
        elif isinstance(node, ast.Call):
            yield from _call(node, script)
        elif string_of(node) is not None and _is_harness_place(node.value):
            yield _forbidden(node, "the path %r" % node.value[:80], _HARNESS)


def _imports(node):
    names = [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        names = [] if node.level else ["%s.%s" % (node.module, name) for name in names]
    for name in names:
        if name.split(".")[0] in _WHOLE_MODULES:
            yield _forbidden(node, name.split(".")[0], _HARNESS)


def _path(node, script):
    if isinstance(node, ast.Attribute) and node.attr in _ATTRIBUTES:
        yield _forbidden(node, "the attribute " + node.attr, _HARNESS)
        return
    path = script.path_of(node)
    if path is not None and isinstance(node.ctx, ast.Load):
        yield from _told(node, path)


def _told(node, path):
    module, _, name = path.partition(".")
    if name.split(".")[0] in _PATHS.get(module, ()):
        shown = path[len("builtins.") :] if module == "builtins" else path
        yield _forbidden(node, shown, _HARNESS)
    elif _SYSTEM_CALLS.match(path):
        yield _forbidden(node, path, _SYSTEM)


def _call(node, script):
    path = script.path_of(node)
    if path is not None:
        yield from _told(node, path)
        if path.split(".")[0] in _WHOLE_MODULES:
            yield _forbidden(node, path, _HARNESS)
    function = script.path_of(node.func) or ""
    if function.startswith("subprocess."):
        yield from _subprocess(node)
    if function == "torch.load" and not _is_safe_load(node, script):
        text = "torch.load runs what a file holds: pass weights_only=True, or load only what the script itself saved."
        yield Problem("forbidden", node.lineno, text)


def _subprocess(node):
    words = [string_of(child) for child in ast.walk(node) if string_of(child)]
    if any(keyword.arg == "shell" and getattr(keyword.value, "value", True) for keyword in node.keywords):
        yield _forbidden(node, "a shell", _SYSTEM)
    for word in " ".join(words).split():
        if word.rpartition("/")[2] in _NETWORK:
            yield _forbidden(node, word, "there is no network, and nothing can be installed")
            return


def _is_safe_load(node, script):
    """True with ``weights_only=True``, for a buffer in memory, and for what the script has saved by the same name."""
    options = {keyword.arg: keyword.value for keyword in node.keywords}
    if getattr(options.get("weights_only"), "value", None) is True:
        return True
    source = node.args[0] if node.args else options.get("f")
    if source is None:
        return False
    if script.path_of(source.func if isinstance(source, ast.Call) else source) == "io.BytesIO":
        return True
    for other in script.nodes:
        if isinstance(other, ast.Call) and script.path_of(other.func) == "torch.save":
            if any(ast.dump(argument) == ast.dump(source) for argument in other.args[1:]):
                return True
            if any(ast.dump(keyword.value) == ast.dump(source) for keyword in other.keywords):
                return True
    return False


def _is_harness_place(text):
    return _PLACES.match(text) is not None and _MEASURES.match(text) is None


def _forbidden(node, what, why):
    return Problem("forbidden", node.lineno, "The script may not use %s: %s." % (what, why))
