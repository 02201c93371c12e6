#!/usr/bin/env python3
"""parallel.py FILE.nib: prints a program of Nib with two more primitives as LLVM IR."""
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "4-a-language"))
import nib

nib.PRIMITIVES |= {"parallel": ("nib_parallel", 2), "report": ("nib_report", 0)}

program = nib.Program()
program.compile(nib.read(pathlib.Path(sys.argv[1]).read_text()))
print(pathlib.Path(nib.__file__).with_name("prelude.ll").read_text(),
      pathlib.Path(__file__).with_name("apply.ll").read_text(), *program.definitions, sep="\n")
