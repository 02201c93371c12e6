"""The programs that ./dev bench runs, in two sizes."""
from dataclasses import dataclass, replace
from pathlib import Path

LOX_SOURCES = Path(__file__).resolve().parent.parent / "lox"
# Of the programs in bench/lox and their twins; of the standard sizes Lua takes seconds.
QUICK_LOX_SIZES = {"binary_trees": 13, "closures": 900000, "fib": 32, "field_access": 4000,
                   "instantiation": 2000000, "list_sort": 700000, "loops": 600,
                   "method_calls": 1300000, "string_building": 50000}
# Of the programs of examples/vm, those whose time is spent in dispatch, those that spend at least
# half of it on memory when that is malloc's, and others: the sizes for times, and for counts of
# instructions.
VM_DISPATCH = {"fib": (32, 20), "loops": (2000, 200), "methods": (2000000, 20000),
               "closures": (2500000, 20000), "zoo": (200000, 2000)}
VM_ALLOCATION = {"trees": (16, 10), "lists": (1200, 200), "cells": (1200, 200),
                 "map": (30000, 2000)}
VM_MIXED = {"vectors": (20, 6), "strings": (500000, 20000)}
VM_SOURCES = Path(__file__).resolve().parent.parent.parent / "examples/vm/programs"


@dataclass(frozen=True)
class Program:
    name: str
    kind: str  # workload, lox, vm or walk: which peers run it
    arguments: tuple = ()
    limit_mib: int = 0  # three times the most live bytes
    has_stalls: bool = False


def workloads(quick):
    if quick:
        return [Program("W1-18", "workload", ("w1", "18"), 75),
                Program("W1t-18", "workload", ("w1t", "2", "18"), 75),
                Program("W2", "workload", ("w2",), 60),
                Program("W3", "workload", ("w3", "20", "5000000"), 150, True),
                Program("W4", "workload", ("w4", "8000", "250000"), 80, True),
                Program("live", "workload", ("live", "20", "20", "11", "1000000"), 400, True),
                Program("frag", "workload", ("frag", "16"), 51, True)]
    return [Program("W1-18", "workload", ("w1", "18"), 75),
            Program("W1-20", "workload", ("w1", "20"), 300),
            Program("W1t", "workload", ("w1t", "2", "20"), 300),
            Program("W2", "workload", ("w2",), 60),
            Program("W3", "workload", ("w3",), 150, True),
            Program("W4", "workload", ("w4",), 80, True),
            Program("live", "workload", ("live",), 3150, True),
            Program("frag", "workload", ("frag",), 204, True)]


CURVE = (1.25, 1.5, 2, 3, 5)  # times the live bytes: the heaps of --curve
CURVE_NAMES = ("W1-20", "W2", "W3", "W4", "frag")


def curve(quick):
    """Programs with a heap of each size. The live bytes are a third of the limit that they have."""
    names = [name.replace("W1-20", "W1-18") if quick else name for name in CURVE_NAMES]
    return [replace(program, name=f"{program.name} {times:g}x",
                    limit_mib=round(program.limit_mib / 3 * times), has_stalls=True)
            for program in workloads(quick) if program.name in names for times in CURVE]


def lox(quick):
    names = sorted(path.stem for path in LOX_SOURCES.glob("*.lox"))
    return [Program(name, "lox", (str(QUICK_LOX_SIZES[name]),) if quick else ()) for name in names]


def machine(quick):
    return [Program(f"VM {name}", "vm", (str(VM_SOURCES / f"{name}.tarn"),
                                         str(sizes[0] // (4 if quick and sizes[0] > 99 else 1))))
            for name, sizes in {**VM_DISPATCH, **VM_ALLOCATION, **VM_MIXED}.items()]


def walks(quick):
    return [Program("walks", "walk", ("10000" if quick else "100000",))]


def all_of_them(quick):
    return workloads(quick) + lox(quick) + machine(quick) + walks(quick)
