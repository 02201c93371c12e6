#!/usr/bin/env python3
"""extended.py FILE.nib: nib.py with `pair?` and `try`."""
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "4-a-language"))
import nib

nib.PRIMITIVES |= {"pair?": ("nib.is_pair", 1)}


def compile_try(function, _, form, handler):
    """The form becomes a function, which C can call and leave."""
    body = function.compile(["lambda", [], form])
    values = f"{nib.REF} {body}, {nib.REF} {function.compile(handler)}"
    return function.value(f"call {nib.REF} @nib_try({values})")


nib.SPECIAL["try"] = compile_try

program = nib.Program()
program.compile(nib.read(pathlib.Path(sys.argv[1]).read_text()))
print(pathlib.Path(nib.__file__).with_name("prelude.ll").read_text(),
      pathlib.Path(__file__).with_name("extended.ll").read_text(), *program.definitions, sep="\n")
