"""Prints, as JSON, what a project requires: read from its files, none of which is run.

Takes the project's folder, the Python versions to choose from, and requirements to add (`--with`). Runs in the interpreter that the requirements are
meant for (markers are evaluated there), and tells for each requirement whether what is installed beside it satisfies it.
"""

import argparse
import json
import re
import sys
from importlib import metadata
from pathlib import Path

from packaging.markers import UndefinedEnvironmentName
from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name

import declared
import requirement_files


def installed_version(name):
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def without_file_url(text):
    """`pip freeze` in a conda environment writes `name @ file:///…`, where only the name means anything."""
    return re.sub(r"\s*@\s*file:[^;]*", "", text)


MAX_REQUIREMENTS = 500
MAX_LENGTH = 300
NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,98}[A-Za-z0-9])?")


class Reading:
    """Requirements by name and text, and what was left out of them and why."""

    def __init__(self, own_name):
        self.own_name = own_name and canonicalize_name(own_name)
        self.requirements = {}
        self.left_out = []

    def leave_out(self, text, reason):
        entry = {"text": text.strip()[:MAX_LENGTH], "reason": reason[:MAX_LENGTH]}
        if entry not in self.left_out and len(self.left_out) < MAX_REQUIREMENTS:
            self.left_out.append(entry)

    def add(self, text):
        if len(text) > MAX_LENGTH or len(self.requirements) >= MAX_REQUIREMENTS:
            self.leave_out(text, "more than is read")
            return
        plain = without_file_url(text)
        if plain != text:
            self.leave_out(text, "a file of the reporter's machine; the name is installed without a version")
        try:
            requirement = Requirement(plain)
        except InvalidRequirement:
            self.leave_out(text, "not a requirement that pip understands")
            return
        if requirement.url:
            self.leave_out(text, "only package registries are installed from")
        elif canonicalize_name(requirement.name) != self.own_name and applies(requirement):
            requirement.marker = None
            self.requirements[str(requirement)] = describe(requirement)


def applies(requirement):
    try:
        return requirement.marker is None or requirement.marker.evaluate({"extra": ""})
    except UndefinedEnvironmentName:
        return False


def missing(texts):
    """Those that apply here and that nothing installed satisfies."""
    build = Reading(None)
    for text in texts:
        build.add(text)
    return sorted(text for text, found in build.requirements.items() if not found["satisfied"])


def describe(requirement):
    installed = installed_version(requirement.name)
    return {
        "text": str(requirement),
        "name": canonicalize_name(requirement.name),
        "extras": sorted(requirement.extras),
        "installed": installed,
        "satisfied": installed is not None and requirement.specifier.contains(installed, prereleases=True),
    }


def python_specifier(text):
    """What the project says of Python, or None where it says nothing that can be understood."""
    try:
        return SpecifierSet(text[:MAX_LENGTH]) if text else None
    except InvalidSpecifier:
        return None


def main(project, versions, extra):
    read = declared.read(project)
    name = read.name if read.name and NAME.fullmatch(read.name) else None
    pythons = python_specifier(read.requires_python)
    reading = Reading(name)
    sources = [source for source in read.sources if source.lines or source.problems]
    if not any(source.lines for source in sources):
        sources += requirement_files.read(project)
    for source in sources:
        for problem in source.problems:
            reading.leave_out(*problem)
        for line in source.lines:
            reading.add(line)
    for text in extra:
        reading.add(text)
    json.dump(
        {
            "name": name,
            "packaged": read.packaged,
            "requiresPython": None if pythons is None else str(pythons),
            "supportedPythons": [version for version in versions if pythons is None or pythons.contains(version)],
            "buildRequirements": missing(read.build_requirements),
            "requirements": [reading.requirements[text] for text in sorted(reading.requirements)],
            "leftOut": reading.left_out,
            "sourceFolder": read.source_folder,
        },
        sys.stdout,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--with", dest="extra", action="append", default=[])
    parser.add_argument("project", type=Path)
    parser.add_argument("versions", nargs="*")
    arguments = parser.parse_args()
    main(arguments.project.resolve(), arguments.versions, arguments.extra)
