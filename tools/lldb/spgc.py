"""lldb commands for programs that use the collector:  command script import tools/lldb/spgc.py

They are those of ../gdb/spgc.py, and print the same: spgc roots, spgc object, spgc why. The frames
of suspended fibers are not known, and a note says so.
"""
import os
import sys

# The modules lie here, and beside this folder. Nothing is written there.
here = os.path.dirname(os.path.realpath(__file__))
sys.path[:0] = [here, os.path.join(os.path.dirname(here), "gdb")]
sys.dont_write_bytecode, before = True, sys.dont_write_bytecode

import spgc_debugger
from spgc_commands import print_object, print_roots, print_why

sys.dont_write_bytecode = before


def run(debugger, result, command, argument):
    """Errors are those of the command."""
    spgc_debugger.session = debugger
    try:
        command(argument)
    except (spgc_debugger.Refusal, spgc_debugger.Unreadable) as error:
        result.SetError(str(error))


def roots(debugger, argument, context, result, globals):
    """The references in the selected frame."""
    run(debugger, result, lambda _: print_roots(spgc_debugger.selected_frame()), argument)


def show_object(debugger, argument, context, result, globals):
    """An object of the heap: spgc object ADDRESS."""
    run(debugger, result, print_object, argument)


def why(debugger, argument, context, result, globals):
    """The shortest path from a root to an object: spgc why ADDRESS, or spgc why TYPE."""
    run(debugger, result, print_why, argument)


def __lldb_init_module(debugger, globals):
    debugger.HandleCommand("command container add -h 'the heap of the collector' spgc")
    for name, function in [("roots", roots), ("object", show_object), ("why", why)]:
        debugger.HandleCommand(
            f"command script add -f {__name__}.{function.__name__} spgc {name}")
