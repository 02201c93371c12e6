"""gdb commands for programs that use the collector:  source tools/gdb/spgc.py

  spgc roots              the references in the selected frame, and their objects
  spgc object ADDRESS     an object: its type's name, its size, its references
  spgc why ADDRESS|TYPE   the shortest path from a root to an object, or to one of a type

They read memory and call nothing, so that they work in a core file too. They need the debug
information of the library (libspgc), which it has unless it was stripped. The selected frame of
`spgc roots` must be suspended in a call.
"""
import os
import sys

import gdb

# The modules lie beside this file. Nothing is written there.
sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
sys.dont_write_bytecode, before = True, sys.dont_write_bytecode

from spgc_commands import Search, print_object, print_roots, print_why
from spgc_debugger import selected_frame

sys.dont_write_bytecode = before


class Prefix(gdb.Command):
    """Commands that show the collector's heap."""

    def __init__(self):
        super().__init__("spgc", gdb.COMMAND_DATA, prefix=True)


class RootsCommand(gdb.Command):
    """The references in the selected frame."""

    def __init__(self):
        super().__init__("spgc roots", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        print_roots(selected_frame())


class ObjectCommand(gdb.Command):
    """An object of the heap: spgc object ADDRESS."""

    def __init__(self):
        super().__init__("spgc object", gdb.COMMAND_DATA)

    def invoke(self, argument, from_tty):
        print_object(argument)


class WhyCommand(gdb.Command):
    """The shortest path from a root to an object: spgc why ADDRESS, or spgc why TYPE.

ADDRESS is a number or an expression that begins with $, &, * or (. Everything else is the name of
a type; then the object of the type that is nearest to a root is shown."""

    def __init__(self):
        super().__init__("spgc why", gdb.COMMAND_DATA)

    def invoke(self, argument, from_tty):
        print_why(argument)


Prefix()
RootsCommand()
ObjectCommand()
WhyCommand()
