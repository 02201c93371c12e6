#!/usr/bin/env python3
"""session.py: reads forms of Nib, and prints a module of IR for each line of them.

Before each module goes a line with its size in bytes, the name of its function, and whether its
code must be kept because a closure may need it.
"""
import pathlib
import re
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "4-a-language"))
import nib

prelude = pathlib.Path(nib.__file__).with_name("prelude.ll").read_text()
# The descriptors are those of session.c, which outlives every module.
prelude = re.sub(r"weak_odr (constant {[^}]*})\s*{[^}]*}", r"external \1", prelude)


def compile_line(number, line, known):
    """The module of a line, and the names that are known after it."""
    program, name = nib.Program(), f"nib_line_{number}"
    program.globals = set(known)
    program.compile(nib.read(line), name)
    elsewhere = [f'@"nib:{name}" = external global {nib.REF}' for name in known]
    module = "\n".join([prelude, *elsewhere, *program.definitions, ""]).encode()
    is_kept = program.globals != known or b"@lambda." in module
    print(len(module), name, "keep" if is_kept else "drop")
    sys.stdout.flush()
    sys.stdout.buffer.write(module)
    sys.stdout.flush()
    return program.globals


names = set()
for count, text in enumerate(sys.stdin):
    try:
        names = compile_line(count, text, names)
    except SystemExit as error:
        print(error, file=sys.stderr)
