"""gdb commands for programs that use the collector:  source tools/gdb/spgc.py

  spgc roots              the references in the selected frame, and their objects
  spgc object ADDRESS     an object: its type's name, its size, its references
  spgc why ADDRESS|TYPE   the shortest path from a root to an object, or to one of a type

They read memory and call nothing, so that they work in a core file too. They need the debug
information of the library (libspgc), which it has unless it was stripped. The selected frame of
`spgc roots` must be suspended in a call.
"""
import collections
import itertools
import os
import re
import sys

import gdb

# The modules lie beside this file. Nothing is written there.
sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
sys.dont_write_bytecode, before = True, sys.dont_write_bytecode

from spgc_heap import TAIL, WORD, Heap, variable, word_at
from spgc_roots import Frames, Roots, side_entries, values_of

sys.dont_write_bytecode = before


class WeakMaps:
    """Entries of weak maps: a key that is reached holds its value, if the map's owner is too."""

    def __init__(self, heap):
        maps = variable("gc/weak/weak_map.c", "spgc_weak_maps")
        self.of_keys, self.waiting = collections.defaultdict(list), collections.defaultdict(list)
        self.heap, self.records = heap, maps["records"]
        for key, _, number, value in side_entries(maps["ephemerons"], "<QIIQ"):
            self.of_keys[key].append((int(self.records[number]["owner"]["word"]), value))

    def reach(self, address, reached):
        """The values that an object holds, with those that waited for it as an owner."""
        found = [(key, value) for key, value in self.waiting.pop(address, ())]
        for owner, value in self.of_keys.get(address, ()):
            if not self.heap.is_reference(owner) or owner in reached:
                found.append((address, value))
            else:
                self.waiting[owner].append((address, value))
        return found


class Search:
    """Breadth first from the roots: the path to each object is a shortest one."""

    def __init__(self, wanted):
        self.heap = Heap()
        self.wanted = wanted
        self.roots = Roots(self.heap)
        self.weak_maps = WeakMaps(self.heap)
        self.before, self.line = {}, collections.deque()  # the object and the label before each
        self.broken = 0

    def reach(self, word, before, label):
        try:
            address = self.heap.moved(word)
        except gdb.MemoryError:
            self.broken += 1
            return
        if address not in self.before:
            self.before[address] = before, label
            self.line.append(address)

    def is_wanted(self, address):
        return (address == self.wanted if isinstance(self.wanted, int)
                else self.heap.type_of(address).name == self.wanted)

    def run(self):
        """The object that was found, or None."""
        for word, root in self.roots.found:
            self.reach(word, None, root)
        while self.line:
            address = self.line.popleft()
            try:
                if self.is_wanted(address):
                    return address
                for offset, word in self.heap.references(address):
                    self.reach(word, address, offset)
                for key, value in self.weak_maps.reach(address, self.before):
                    if self.heap.is_reference(value):
                        self.reach(value, key, "value in a weak map")
            except gdb.MemoryError:
                self.broken += 1
        return None

    def path(self, address):
        """The root, and the label and the address of each object from there to this one."""
        steps = []
        while True:
            before, label = self.before[address]
            if before is None:
                return label, [(label.label, address)] + steps[::-1]
            if isinstance(label, int):
                label = self.heap.type_of(before).label(label)
            steps.append((label, address))
            address = before

    def print_path(self, address):
        """Of a long run of steps with one label and one type, the first and the last are shown."""
        root, steps = self.path(address)
        print(f"  {root.group}")
        for _, run in itertools.groupby(
                steps, lambda step: (step[0], self.heap.type_of(step[1]).name)):
            run = list(run)
            shown = run if len(run) < 4 else [run[0], None, run[-1]]
            for step in shown:
                print(f"  {step[0]} -> {self.heap.describe(step[1])}" if step
                      else f"  ... {len(run) - 2} more like these")


def address_of(argument):
    try:
        return int(gdb.parse_and_eval(argument)) % 2**64
    except gdb.error as error:
        raise gdb.GdbError(f"{argument} is no address: {error}") from None


class Prefix(gdb.Command):
    """Commands that show the collector's heap."""

    def __init__(self):
        super().__init__("spgc", gdb.COMMAND_DATA, prefix=True)


class RootsCommand(gdb.Command):
    """The references in the selected frame."""

    def __init__(self):
        super().__init__("spgc roots", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        frame, heap = gdb.selected_frame(), Heap()
        found = Frames().find(frame.pc())
        if found is None:  # no error, so that a script goes on with the next frame
            print("the frame is not managed code suspended in a call")
            return
        bases, derived = found
        for kind, locations, show in [("base", bases, heap.describe),
                                      ("derived", derived, "{:#x}".format)]:
            for register, offset, word in values_of(frame, locations):
                place = register if offset is None else f"{register}{offset:+d}"
                print(f"{kind} ${place}: {show(word)}")
        if not bases:
            print("no references")


class ObjectCommand(gdb.Command):
    """An object of the heap: spgc object ADDRESS."""

    def __init__(self):
        super().__init__("spgc object", gdb.COMMAND_DATA)

    def invoke(self, argument, from_tty):
        if not argument:
            raise gdb.GdbError("spgc object needs an ADDRESS")
        address, heap = address_of(argument), Heap()
        kind = heap.checked_type(address)
        length = word_at(address + WORD) if kind.flags & TAIL else 0
        tail = f", length {length}" if kind.flags & TAIL else ""
        print(f"{address:#x} {kind.name}: {kind.object_size(length)} bytes{tail}")
        for offset, word in heap.references(address):
            name = kind.label(offset)
            shown = "" if name.startswith("+") else f" {name}"
            print(f"  +{offset}{shown}: {heap.describe(word)}")


class WhyCommand(gdb.Command):
    """The shortest path from a root to an object: spgc why ADDRESS, or spgc why TYPE.

ADDRESS is a number or an expression that begins with $, &, * or (. Everything else is the name of
a type; then the object of the type that is nearest to a root is shown."""

    def __init__(self):
        super().__init__("spgc why", gdb.COMMAND_DATA)

    def invoke(self, argument, from_tty):
        if not argument:
            raise gdb.GdbError("spgc why needs an ADDRESS or a TYPE")
        wanted = argument
        if re.match(r"[0-9$&*(]", argument):
            wanted = address_of(argument)
            Heap().checked_type(wanted)
        search = Search(wanted)
        found = search.run()
        if found is not None:
            search.print_path(found)
        else:
            print(f"no root that is known leads to {argument}")
        for note in search.roots.notes:
            print(f"note: {note}")
        if search.broken:
            print(f"note: {search.broken} objects cannot be read")


Prefix()
RootsCommand()
ObjectCommand()
WhyCommand()
