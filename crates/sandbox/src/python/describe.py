"""Prints the files that this interpreter needs, as JSON in the last line. Runs outside the sandbox.

Importing the standard library's extension modules loads the shared libraries that they need.
"""

import importlib
import json
import os
import sys
import sysconfig

# Modules for tests, and modules that talk to a terminal or a screen when they are loaded.
LEFT_OUT = ("_test", "_ctypes_test", "_tkinter", "xx", "readline")


def extension_modules(folder):
    folder = os.path.join(folder, "lib-dynload")
    names = os.listdir(folder) if os.path.isdir(folder) else []
    return sorted({name.split(".")[0] for name in names if not name.startswith(LEFT_OUT)})


def mapped_files():
    with open("/proc/self/maps") as maps:
        fields = [line.rstrip("\n").split(None, 5) for line in maps]
    return sorted({field[5] for field in fields if len(field) == 6 and field[5].startswith("/")})


folders = sorted({os.path.realpath(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")})
for folder in folders:
    for module in extension_modules(folder):
        try:
            importlib.import_module(module)
        except Exception:
            pass

executable = os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)
files = sorted({executable, *mapped_files()})
print("\n" + json.dumps({"executable": executable, "version": sys.version_info[:2], "folders": folders, "files": files}))
