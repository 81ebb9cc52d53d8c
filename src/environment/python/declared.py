"""Reads what the packaging files declare: pyproject.toml (PEP 621, Poetry), setup.cfg, setup.py."""

import configparser

import poetry
import setup_script
from requirement_files import Source, read_file, read_text

try:
    import tomllib
except ImportError:
    from pip._vendor import tomli as tomllib


class Declared:
    def __init__(self):
        self.name = None
        self.requires_python = None
        self.build_requirements = []
        self.sources = []
        self.packaged = False
        self.source_folder = None


def read(project):
    """What the project declares; of two files that say the same thing, the first of pyproject, setup.cfg, setup.py counts."""
    declared = Declared()
    for reader in (read_pyproject, read_setup_cfg, read_setup_script):
        source = Source()
        taken = any(previous.lines for previous in declared.sources)
        reader(project, declared, source)
        if taken:
            source.lines = []
            source.problems = []
        declared.sources.append(source)
    if (project / "src").is_dir() and not (project / "src" / "__init__.py").exists():
        declared.source_folder = "src"
    return declared


def table(value, *keys):
    """The table under the keys; empty where something else is there."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def strings(value):
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def string(value):
    return value if isinstance(value, str) else None


def read_pyproject(project, declared, source):
    text = read_text(project, "pyproject.toml")
    if text is None:
        return
    try:
        document = tomllib.loads(text)
    except ValueError as error:
        source.problems.append(("pyproject.toml", "not TOML: %s" % error))
        declared.packaged = True
        return
    metadata = table(document, "project")
    declared.packaged = bool(metadata) or "build-system" in document or "poetry" in table(document, "tool")
    declared.build_requirements = strings(table(document, "build-system").get("requires"))
    declared.name = string(metadata.get("name"))
    declared.requires_python = string(metadata.get("requires-python"))
    source.lines += strings(metadata.get("dependencies"))
    if "dependencies" in strings(metadata.get("dynamic")):
        read_dynamic(project, table(document, "tool", "setuptools", "dynamic", "dependencies").get("file"), source)
    poetry.read(table(document, "tool", "poetry"), declared, source)


def read_dynamic(project, files, source):
    for relative in [files] if isinstance(files, str) else strings(files):
        read_file(project, relative, source, set())


def read_setup_cfg(project, declared, source):
    text = read_text(project, "setup.cfg")
    if text is None:
        return
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(text)
    except configparser.Error:
        source.problems.append(("setup.cfg", "cannot be parsed"))
        return
    declared.packaged = declared.packaged or parser.has_section("metadata") or parser.has_section("options")
    declared.name = declared.name or parser.get("metadata", "name", fallback=None)
    declared.requires_python = declared.requires_python or parser.get("options", "python_requires", fallback=None)
    requires = parser.get("options", "install_requires", fallback="").strip()
    if requires.startswith("file:"):
        read_dynamic(project, [name.strip() for name in requires[len("file:") :].split(",")], source)
    else:
        source.lines += [line.strip() for line in requires.replace(";\n", "\n").splitlines() if line.strip()]


def read_setup_script(project, declared, source):
    text = read_text(project, "setup.py")
    if text is None:
        return
    declared.packaged = True
    script = setup_script.SetupScript(text)
    if script.problem:
        source.problems.append(("setup.py", script.problem))
        return
    declared.name = declared.name or script.string("name")
    declared.requires_python = declared.requires_python or script.string("python_requires")
    requirements = script.strings("install_requires")
    if requirements is not None:
        source.lines += requirements
        return
    named = script.files_of("install_requires")
    candidates = [folder + name for name in named for folder in ("", "requirements/")]
    files = [name for name in candidates if read_text(project, name) is not None]
    for relative in files:
        read_file(project, relative, source, set())
    if not files:
        source.problems.append(("install_requires of setup.py", "cannot be told without running it"))
