"""Turns Poetry's dependency tables into requirements as pip writes them."""

import re

NOT_FOR_RUNNING = re.compile(r"dev|test|doc|lint|ci|type|format", re.IGNORECASE)


def read(tool, declared, source):
    """Adds the main dependencies, and those of groups that are neither optional nor for development."""
    if not tool:
        return
    declared.name = declared.name or (tool.get("name") if isinstance(tool.get("name"), str) else None)
    groups = [tool.get("dependencies")]
    for name, group in as_table(tool.get("group")).items():
        if not NOT_FOR_RUNNING.search(name) and not as_table(group).get("optional"):
            groups.append(as_table(group).get("dependencies"))
    for group in groups:
        for name, wanted in as_table(group).items():
            if name == "python":
                if declared.requires_python is None and isinstance(wanted, str):
                    declared.requires_python = specifier(wanted)
            else:
                add(name, wanted, source)


def as_table(value):
    return value if isinstance(value, dict) else {}


def add(name, wanted, source):
    for entry in wanted if isinstance(wanted, list) else [wanted]:
        if isinstance(entry, str):
            entry = {"version": entry}
        if not isinstance(entry, dict) or entry.get("optional"):
            continue
        if any(key in entry for key in ("git", "path", "url")):
            source.problems.append((name, "only package registries are installed from"))
            continue
        source.lines.append(requirement(name, entry))


def requirement(name, entry):
    extras = ",".join(extra for extra in entry.get("extras") or [] if isinstance(extra, str))
    markers = [entry["markers"]] if isinstance(entry.get("markers"), str) else []
    if isinstance(entry.get("python"), str):
        markers += ["python_version %s '%s'" % pair for pair in clauses(specifier(entry["python"]))]
    version = entry.get("version")
    text = name + ("[%s]" % extras if extras else "") + specifier(version if isinstance(version, str) else "*")
    return text + ("; " + " and ".join("(%s)" % marker for marker in markers) if markers else "")


def clauses(text):
    return re.findall(r"(===|[<>=!~]=?)\s*([^,\s]+)", text)


def specifier(text):
    """PEP 440 for Poetry's notation; empty, so any version, where alternatives (`||`) cannot be said in it."""
    if "||" in text or " | " in text:
        return ""
    parts = [part.strip() for part in text.replace(" ", ",").split(",") if part.strip()]
    return ",".join(filter(None, (one_specifier(part) for part in joined(parts))))


def joined(parts):
    """Operators and versions that a space had separated, together again."""
    result = []
    for part in parts:
        if result and re.fullmatch(r"[<>=!~^]+", result[-1]):
            result[-1] += part
        else:
            result.append(part)
    return result


def one_specifier(text):
    if text == "*":
        return ""
    if text.startswith("^"):
        return between(text[1:], caret_length(text[1:]))
    if text.startswith("~") and not text.startswith("~="):
        return between(text[1:], min(2, len(release(text[1:]))))
    return text if re.match(r"[<>=!~]", text) else "==" + text


def release(version):
    return [int(number) for number in re.findall(r"\d+", re.split(r"[^\d.]", version.strip())[0])]


def caret_length(version):
    """How many numbers may not change: up to the first that is not zero."""
    numbers = release(version)
    return next((index + 1 for index, number in enumerate(numbers) if number), len(numbers))


def between(version, length):
    numbers = release(version)[:length]
    if not numbers:
        return ""
    numbers[-1] += 1
    return ">=%s,<%s" % (version.strip(), ".".join(map(str, numbers)))
