"""Prints, as JSON, the options that pip takes on this machine: environment over command over global settings."""

import ast
import contextlib
import glob
import io
import json
import os
import runpy
import sys
import sysconfig


def find_pip():
    """Uses the copy of pip that comes with Python where none is installed."""
    try:
        import pip  # noqa: F401
    except ImportError:
        import ensurepip

        folders = [os.path.join(os.path.dirname(ensurepip.__file__), "_bundled"), sysconfig.get_config_var("WHEEL_PKG_DIR")]
        sys.path[:0] = [wheel for folder in folders if folder for wheel in glob.glob(os.path.join(folder, "pip-*.whl"))]


def listed():
    sys.argv = ["pip", "config", "list"]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
        runpy.run_module("pip", run_name="__main__")
    return [line.partition("=")[::2] for line in printed.getvalue().splitlines() if "=" in line]


def main():
    find_pip()
    options = {}
    lines = listed()
    for section in ("global.", "install.", ":env:."):
        for key, value in lines:
            if key.startswith(section):
                options[key[len(section) :]] = str(ast.literal_eval(value))
    bundle = next(filter(None, map(os.environ.get, ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"))), None)
    if bundle:
        options.setdefault("cert", bundle)
    json.dump(options, sys.stdout)


main()
