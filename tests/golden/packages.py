# SPDX-License-Identifier: Apache-2.0
"""Foreign packages that a test needs: found where `scripts/deps data` puts them, in the system's Python if not in this one."""
import importlib
import os
import shutil
import sys

sys.path.append(os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "weir-data"))
SYSTEM = "/usr/bin/python3"


def skip(what):
    print(f"skipped: {what} is missing: scripts/deps data")
    sys.exit(77)


def need(module, package):
    """The module; the test is skipped, and the package named, if no Python has it."""
    try:
        return importlib.import_module(module)
    except ImportError:
        if "WEIR_TEST_PYTHON" in os.environ or not os.access(SYSTEM, os.X_OK):
            skip(package)
    sys.stdout.flush()
    os.execve(SYSTEM, [SYSTEM, "-B", *sys.argv], os.environ | {"WEIR_TEST_PYTHON": SYSTEM})


def need_program(name, package):
    path = shutil.which(name)
    return path if path else skip(package)


def closed(schema):
    """A copy of a JSON schema that accepts no key which it does not name; those of docs/ do, as keys are added."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: value if key in ("if", "enum", "const", "required") else closed(value) for key, value in schema.items()}
    if "allOf" in schema:
        for part in made["allOf"]:
            part.get("then", {}).pop("additionalProperties", None)
        made["unevaluatedProperties"] = False
    elif schema.get("type") == "object" and "properties" in schema:
        made.setdefault("additionalProperties", False)
    return made
