"""What the commands of spgc.py print, in any debugger."""
import collections
import itertools
import re

from spgc_debugger import Refusal, Unreadable, address_of, variable
from spgc_heap import TAIL, WORD, Heap, word_at
from spgc_roots import Frames, Roots, side_entries, values_of


class WeakMaps:
    """Entries of weak maps: a key that is reached holds its value, if the map's owner is too."""

    def __init__(self, heap):
        maps = variable("gc/weak/weak_map.c", "spgc_weak_maps")
        self.of_keys, self.waiting = collections.defaultdict(list), collections.defaultdict(list)
        self.heap, self.records = heap, maps["records"]
        for key, _, number, _, _, value in side_entries(maps["ephemerons"], "<QIIIIQ"):
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
        except Unreadable:
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
            except Unreadable:
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


def print_roots(frame):
    """The references in a frame."""
    heap, found = Heap(), Frames().find(frame.pc())
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


def print_object(argument):
    """The object at an address."""
    if not argument:
        raise Refusal("spgc object needs an ADDRESS")
    address, heap = address_of(argument), Heap()
    kind = heap.checked_type(address)
    length = word_at(address + WORD) if kind.flags & TAIL else 0
    tail = f", length {length}" if kind.flags & TAIL else ""
    print(f"{address:#x} {kind.name}: {kind.object_size(length)} bytes{tail}")
    for offset, word in heap.references(address):
        name = kind.label(offset)
        shown = "" if name.startswith("+") else f" {name}"
        print(f"  +{offset}{shown}: {heap.describe(word)}")


def print_why(argument):
    """The shortest path from a root to the object at an address, or to one of a type."""
    if not argument:
        raise Refusal("spgc why needs an ADDRESS or a TYPE")
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
