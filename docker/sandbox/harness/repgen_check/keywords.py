"""Where keyword arguments stand in a source."""

import ast
import io
import tokenize

_OPENING, _CLOSING = "([{", ")]}"
_SILENT = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)


def keyword_spans(source, tree):
    """One entry for each keyword argument: its name, the call as written, and a span with the comma that goes with it.

    Cutting one span out leaves a valid call.
    """
    text = source.decode(tokenize.detect_encoding(io.BytesIO(source).readline)[0])
    lines = text.splitlines(True)
    calls = {(node.end_lineno, node.end_col_offset): node for node in ast.walk(tree) if isinstance(node, ast.Call)}
    spans = []
    for arguments, end in _parentheses(text):
        line, column = _in_bytes(lines, end)
        call = calls.get((line, column))
        if call is None or not call.keywords:
            continue
        for position, argument in enumerate(arguments):
            if _is_keyword(argument.tokens):
                start, stop = _span(arguments, position)
                spans.append(_entry(argument.tokens[0].string, _call_text(text, call), lines, (start, stop)))
    return sorted(spans, key=lambda span: (span["startLine"], span["startColumn"]))


class _Argument:
    """The tokens between two commas, and where the comma after them ends (None without one)."""

    def __init__(self):
        self.tokens = []
        self.comma_end = None
        self._open_lambdas = 0

    def ends_at(self, token):
        """Is this comma the one after the argument, and not one between the parameters of a lambda?"""
        return token.type == tokenize.OP and token.string == "," and self._open_lambdas == 0

    def add(self, token):
        self.tokens.append(token)
        if token.type == tokenize.NAME and token.string == "lambda":
            self._open_lambdas += 1
        elif token.string == ":" and self._open_lambdas:
            self._open_lambdas -= 1


def _parentheses(text):
    """(arguments, end) of each pair of parentheses."""
    open_groups = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in _SILENT:
            continue
        closes = token.type == tokenize.OP and token.string in _CLOSING
        group = open_groups.pop() if closes and open_groups else None
        if group is not None and token.string == ")":
            yield [argument for argument in group if argument.tokens], token.end
        if open_groups:
            innermost = open_groups[-1]
            if innermost[-1].ends_at(token):
                innermost[-1].comma_end = token.end
                innermost.append(_Argument())
            else:
                innermost[-1].add(token)
        if token.type == tokenize.OP and token.string in _OPENING:
            open_groups.append([_Argument()])


def _is_keyword(tokens):
    return len(tokens) > 2 and tokens[0].type == tokenize.NAME and tokens[1].string == "="


def _span(arguments, position):
    """To the next argument; of the last one from the end of the one before; of the only one with its comma."""
    argument = arguments[position]
    if position + 1 < len(arguments):
        return argument.tokens[0].start, arguments[position + 1].tokens[0].start
    if position > 0:
        return arguments[position - 1].tokens[-1].end, argument.tokens[-1].end
    return argument.tokens[0].start, argument.comma_end or argument.tokens[-1].end


def _entry(name, call, lines, span):
    (start_line, start_column), (end_line, end_column) = (_in_bytes(lines, place) for place in span)
    return {
        "name": name,
        "call": call,
        "startLine": start_line,
        "startColumn": start_column,
        "endLine": end_line,
        "endColumn": end_column,
    }


def _in_bytes(lines, place):
    line, column = place
    text = lines[line - 1] if line <= len(lines) else ""
    return line, len(text[:column].encode("utf-8"))


def _call_text(text, call):
    return " ".join((ast.get_source_segment(text, call.func) or "").split())[:200]
