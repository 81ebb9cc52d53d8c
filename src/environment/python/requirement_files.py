"""Reads requirements.txt files, with what they include, and the pip part of a conda environment."""

import codecs
import re
from pathlib import Path

MAX_BYTES = 1 << 20
MAX_FILES = 20
INCLUDE = re.compile(r"^(?:-r|--requirement)(?:\s+|=|(?=\S))(.+)$")
NOT_FOR_RUNNING = re.compile(r"dev|test|doc|lint|build|ci|gpu|cuda|example|colab", re.IGNORECASE)
USUAL = [
    "requirements.txt",
    "requirements/requirements.txt",
    "requirements/base.txt",
    "requirements/main.txt",
    "requirements/core.txt",
    "requirements/runtime.txt",
]


class Source:
    """Requirement lines of one place, and (text, reason) pairs for what could not be taken from it."""

    def __init__(self):
        self.lines = []
        self.problems = []


def read_text(project, relative):
    """The file's text, or None when it is none, too large, or lies outside the project."""
    try:
        path = (project / relative).resolve()
        if project not in path.parents or not path.is_file() or path.stat().st_size > MAX_BYTES:
            return None
        data = path.read_bytes()
    except (OSError, ValueError):
        return None
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace")
    return data.decode("utf-8-sig", "replace")


def read_file(project, relative, source, seen):
    """Adds the lines of one requirements file to the source, includes followed once each."""
    text = read_text(project, relative)
    if text is None:
        source.problems.append((str(relative), "no such file in the project"))
    if text is None or str(relative) in seen or len(seen) >= MAX_FILES:
        return
    seen.add(str(relative))
    for line in logical_lines(text):
        include = INCLUDE.match(line)
        if include:
            read_file(project, (Path(relative).parent / include.group(1).strip(" \"'")), source, seen)
        else:
            add_line(line, source)


def logical_lines(text):
    """Lines as pip joins them, without comments and per-line options."""
    for line in re.sub(r"\\\r?\n", " ", text).splitlines():
        line = re.sub(r"(^|\s)#.*$", "", line)
        line = re.sub(r"\s--(hash|global-option|config-settings?|install-option)\b.*$", "", line).strip()
        if line:
            yield line


def add_line(line, source):
    if re.match(r"^(?:-e|--editable)[\s=]+\.(?:\[.*\])?$|^\.(?:\[.*\])?$", line):
        return
    if re.match(r"-e\b|--editable\b", line):
        source.problems.append((line, "nothing editable is installed beside the project"))
    elif line.startswith("-"):
        source.problems.append((line, "options of the project's requirements files are not passed to pip"))
    elif re.match(r"^(?:[a-z+]+://|git\+|[./~])|^[^;@\[]*[/\\]", line):
        source.problems.append((line, "only package registries are installed from"))
    else:
        source.lines.append(line)


def find(project):
    """The requirements file that is for running the project, or None."""
    for relative in USUAL:
        if read_text(project, relative) is not None:
            return relative
    others = sorted(path.name for path in project.glob("requirements*.txt"))
    return next((name for name in others if not NOT_FOR_RUNNING.search(name)), None)


def read(project):
    """Sources of requirements outside the packaging files: a requirements file, else a conda environment."""
    source = Source()
    relative = find(project)
    if relative:
        read_file(project, relative, source, set())
        return [source]
    for name in ("environment.yml", "environment.yaml", "conda.yaml"):
        text = read_text(project, name)
        if text is not None:
            read_conda(text, source)
            return [source]
    return []


def read_conda(text, source):
    """Takes the items under `- pip:`; conda's own packages have other names and builds and are only reported."""
    pip_indent = None
    conda = []
    in_dependencies = False
    for line in text.splitlines():
        line = re.sub(r"(^|\s)#.*$", "", line).rstrip()
        indent = len(line) - len(line.lstrip())
        item = re.match(r"^-\s+(.*)$", line.strip())
        if not item:
            in_dependencies = line.startswith("dependencies:") or (in_dependencies and (not line or indent > 0))
        elif in_dependencies and item.group(1) == "pip:":
            pip_indent = indent
        elif pip_indent is not None and indent > pip_indent:
            add_line(item.group(1).strip("\"'"), source)
        elif in_dependencies:
            pip_indent = None
            conda.append(item.group(1).strip("\"'"))
    if conda:
        source.problems.append((", ".join(conda), "conda packages are not installed"))
