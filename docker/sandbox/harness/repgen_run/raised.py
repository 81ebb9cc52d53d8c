"""Exceptions as plain data."""

_MOST_EXCEPTIONS = 20
_MOST_FRAMES = 200
_MOST_CHARACTERS = 20_000


def describe(error):
    """The exception, then what it came from (as Python prints it), then the members of a group.

    Each is type, bases, message and frames; a frame is file, line, function.
    """
    chain, waiting, seen = [], [error], set()
    while waiting and len(chain) < _MOST_EXCEPTIONS:
        error = waiting.pop(0)
        if not isinstance(error, BaseException) or id(error) in seen:
            continue
        seen.add(id(error))
        kind = type(error)
        chain.append(
            {"type": type_name(kind), "bases": base_names(kind), "message": _message(error), "frames": _frames(error)}
        )
        waiting[:0] = _origins(error)
    return chain


def type_name(kind):
    module = str(getattr(kind, "__module__", "builtins"))
    return kind.__qualname__ if module == "builtins" else module + "." + kind.__qualname__


def base_names(kind):
    return [base.__name__ for base in kind.__mro__ if base is not object]


def text_of(value):
    """``str(value)``, cut; what it raises instead of raising it."""
    try:
        return str(value)[:_MOST_CHARACTERS]
    except BaseException as failure:
        return "<%s while being printed>" % type(failure).__name__


def _origins(error):
    members = getattr(error, "exceptions", None)
    members = list(members) if isinstance(members, tuple) else []
    if error.__cause__ is not None:
        return [error.__cause__] + members
    if error.__context__ is not None and not error.__suppress_context__:
        return [error.__context__] + members
    return members


def _message(error):
    notes = getattr(error, "__notes__", None)
    lines = [note for note in notes if type(note) is str] if type(notes) is list else []
    return "\n".join([text_of(error)] + lines)[:_MOST_CHARACTERS]


def _frames(error):
    frames, entry = [], error.__traceback__
    while entry is not None:
        code = entry.tb_frame.f_code
        frames.append([code.co_filename, entry.tb_lineno or code.co_firstlineno, code.co_name])
        entry = entry.tb_next
    if isinstance(error, SyntaxError) and isinstance(error.filename, str) and isinstance(error.lineno, int):
        frames.append([error.filename, error.lineno, "<module>"])
    if len(frames) > _MOST_FRAMES:
        frames[_MOST_FRAMES // 2 : -_MOST_FRAMES // 2] = []
    return frames
