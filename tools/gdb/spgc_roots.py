"""The roots as a debugger finds them in memory: frames by the stack maps that are registered,
handles, global variables and side tables. For spgc.py."""
import collections
import contextlib

import spgc_debugger
from spgc_debugger import array_length, structure, symbol_of, text_at, variable
from spgc_heap import WORD, unpack, word_at

# What the debugger has to know of a processor: registers.h and saved_registers.h in
# stackwalk/x86_64 and stackwalk/aarch64.
#   names           of registers, by DWARF's numbers
#   origins         enum origin; the callee-saved registers come first
#   callee_saved    how many these are
#   entry           struct frame_entry: bits of `registers` behind the unwind plan
#   left            words that spgc_stack_switch leaves at the stack pointer; None: of no register
#   stack_pointer, program_counter
Machine = collections.namedtuple(
    "Machine", "names origins callee_saved entry left stack_pointer program_counter")
X86_64 = Machine(
    {3: "rbx", 6: "rbp", 7: "rsp", 12: "r12", 13: "r13", 14: "r14", 15: "r15"},
    [3, 6, 12, 13, 14, 15, 7, 6], 6, 8,
    [None, "r15", "r14", "r13", "r12", "rbx", "rbp", "rip"], "rsp", "rip")
AARCH64 = Machine(
    {31: "sp", **{number: f"x{number}" for number in range(19, 30)}},
    [*range(19, 30), *range(72, 80), 31, 29, None], 11, 11,
    [None, None, "x29", "pc", *(f"x{number}" for number in range(19, 29)), *[None] * 8],
    "sp", "pc")
IN_REGISTER = 1  # of a location's flags: stackwalk/location.h
ADDRESS = 2**48 - 1  # the bits of an address of code


def machine():
    return AARCH64 if spgc_debugger.processor() == "aarch64" else X86_64


Location = collections.namedtuple("Location", "register offset words in_register")


def location_at(address):
    offset, words, register, flags = unpack("<iHBB", address)
    return Location(register, offset, words, flags & IN_REGISTER)


def base_locations(address, count):
    """An array of struct location: stackwalk/location.h."""
    return [location_at(start) for start in range(address, address + 8 * count, 8)]


def derived_locations(address, count):
    """An array of struct derived_location, without those that repeat others."""
    return [location_at(start) for start in range(address, address + 16 * count, 16)
            if unpack("<IB", start + 8)[1]]


def tree_nodes(address):
    """The nodes of a tree (support/address_tree.h) in order, with their addresses."""
    if address:
        node = structure("address_node", address)
        yield from tree_nodes(int(node["left"]))
        yield address, node
        yield from tree_nodes(int(node["right"]))


class Frames:
    """The stack maps that are registered: stackwalk/frame_table.h."""

    def __init__(self):
        nodes = [node for _, node in tree_nodes(int(variable("stackwalk/frame_table.c", "live")))]
        self.maps = [structure("frame_map", int(node["identity"])) for node in nodes]
        self.extents = [(int(node["key"]), int(node["value"])) for node in nodes]
        self.known = {}

    def is_managed(self, address):
        """Whether it lies between the first and the last function of a map."""
        return any(low <= address < high for low, high in self.extents)

    def find(self, address):
        """Base locations and derived ones of the frame that returns there, or None."""
        if address not in self.known:
            self.known[address] = self.search(address)
        return self.known[address]

    def search(self, address):
        for one, (low, high) in zip(self.maps, self.extents):
            if low <= address <= high:
                found = self.search_map(one, address)
                if found:
                    return found
        return None

    @staticmethod
    def search_map(frame_map, address):
        lines, count = int(frame_map["line_count"]), int(frame_map["entry_count"])
        entries = int(frame_map["entries"])
        hashed = (address * 0x9E3779B97F4A7C15 & 2**64 - 1) >> 32
        index = (hashed * lines >> 32) * 2
        while True:
            key, _, bits, _, _, _, slots = unpack("<QIHBBQQ", entries + 32 * index)
            if key == address:
                break
            if key == 0:
                return None
            index = (index + 1) % count
        origins, origin = machine().origins, bits >> machine().entry
        if origin == len(origins):  # ORIGIN_COUNT: a description
            return Frames.described(slots)
        first = (slots & 0xffff ^ 0x8000) - 0x8000
        bases = [Location(origins[bit], 0, 1, True) for bit in range(machine().callee_saved)
                 if bits >> bit & 1]
        bases += [Location(origins[origin], (first + bit - 16) * WORD, 1, False)
                  for bit in range(16, 64) if slots >> bit & 1]
        return bases, []

    @staticmethod
    def described(address):
        frame = structure("frame_description", address)
        return (base_locations(int(frame["bases"]), int(frame["base_count"])),
                derived_locations(int(frame["derived"]), int(frame["derived_count"])))


Root = collections.namedtuple("Root", "group label")  # a thread, and a place in one of its frames


def linked(first, link):
    while int(first):
        yield first
        first = first[link]


def rooted_modules():
    """The registered modules that have roots: the first ones of the array."""
    modules = variable("gc/roots/modules.c", "modules")
    for index in range(int(modules["with_roots"])):
        yield modules["records"][index]


def name_of_variable(address):
    """As the language tells it (spgc_variable_names_add), or the symbol."""
    root, found = int(variable("gc/naming/code_name.c", "variables")["root"]), {}
    for added, _ in tree_nodes(root):
        record = structure("added_names", added)
        names = structure("spgc_code_names", int(record["node"]["identity"]))
        for index in range(int(names["count"])):
            name = names["names"][index]
            offset = address - int(name["start"])
            if 0 <= offset < int(name["size"]):
                found[int(record["number"])] = text_at(int(name["name"])) + (
                    f"+{offset}" if offset else "")
    if found:
        return found[max(found)]  # the names that were added last
    return symbol_of(address)


def side_entries(table, layout):
    """Entries of a side table (gc/weak/side_table.h). Each begins with its object."""
    start, stride = int(table["entries"]), int(table["entry_bytes"])
    for index in range(int(table["count"])):
        yield unpack(layout, start + index * stride)


def values_of(frame, locations):
    """Of each reference of a frame that is suspended in a call: its register, the offset from what
    that holds or None if it is there itself, and its word."""
    for location in locations:
        name = machine().names[location.register]
        value = frame.register(name)
        if location.in_register:
            yield name, None, value
            continue
        for word in range(location.words):
            offset = location.offset + word * WORD
            yield name, offset, word_at(value + offset)


class Roots:
    """All roots that are known: `found` has words with their roots, `notes` what is not known."""

    def __init__(self, heap):
        self.heap, self.frames, self.found, self.notes = heap, Frames(), [], []
        self.stacks = []  # of the threads: stack pointers of the newest and of the oldest frame
        self.add_threads()
        for mutator in linked(variable("gc/mutator/world.c", "world")["mutators"], "next"):
            self.add_mutator(mutator)
        self.add_global_handles()
        for module in rooted_modules():
            self.add_variables(module)
        self.add_side_tables()

    def add(self, word, group, label):
        if self.heap.is_reference(word):
            self.found.append((word, Root(group, label)))

    def add_threads(self):
        with contextlib.closing(spgc_debugger.threads()) as threads:
            for group, newest in threads:
                self.stacks.append((newest.register(machine().stack_pointer),
                                    self.add_frames(group, newest, None, 2**64)))

    def add_frames(self, group, frame, newer, base):
        """The frames from one out, as far as their stack pointers are below `base`. Returns the
        stack pointer of the last."""
        last, stack_pointer = 0, machine().stack_pointer
        while frame is not None and frame.register(stack_pointer) < base:
            last = frame.register(stack_pointer)
            if not frame.is_inlined():
                self.add_frame(group, frame, newer)
                newer = frame
            frame = frame.older()
        return last

    def add_frame(self, group, frame, newer):
        """The newest frame is in no call, nor is one that a signal interrupted."""
        is_in_call = newer is not None and not newer.is_of_signal()
        found = self.frames.find(frame.pc()) if is_in_call else None
        if found is not None:
            for register, offset, word in values_of(frame, found[0]):
                place = register if offset is None else f"{register}{offset:+d}"
                self.add(word, group, f"{frame.place()} ({place})")
        elif not is_in_call and self.frames.is_managed(frame.pc()):
            self.notes.append(f"{group} is in {frame.place()}, which is no call: the references "
                              "in that frame are not known")

    def add_mutator(self, mutator):
        thread, base = f"thread {int(mutator['number'])}", int(mutator["stack_base"])
        if not any(newest <= base <= oldest for newest, oldest in self.stacks):
            self.notes.append(f"the debugger does not find all frames of {thread}: the references "
                              "in the others are not known")
        self.add_handles(mutator["handles"], f"scoped handles of {thread}")
        lists = mutator["fibers"]["lists"]
        fibers = [fiber for i in range(array_length(lists))
                  for fiber in linked(lists[i], "next")]
        for number, fiber in enumerate(fibers, 1):
            group = f"{thread}, suspended fiber {number}"
            self.add_handles(fiber["handles"], f"scoped handles of {group}")
            if str(fiber["state"]) == "FIBER_SUSPENDED":
                self.add_fiber(group, fiber)

    def add_fiber(self, group, fiber):
        """`stack_pointer` is where spgc_stack_switch left it."""
        left, stack_pointer = machine().left, int(fiber["left"]["stack_pointer"])
        words = unpack(f"<{len(left)}Q", stack_pointer)
        saved = {name: word for name, word in zip(left, words) if name}
        saved[machine().program_counter] &= ADDRESS  # the return address may be signed
        saved[machine().stack_pointer] = stack_pointer + WORD * len(left)
        with spgc_debugger.fiber_frames(saved) as newest:
            if newest is None:
                self.notes.append(f"{group}: this debugger cannot show its frames")
            else:
                self.add_frames(group, newest.older(), newest, int(fiber["stack_base"]))

    def add_handles(self, stack, group):
        height, first, chunk = int(stack["height"]), 0, 0
        while first < height:
            slots = stack["chunks"][chunk]["slots"]
            count = min(array_length(slots), height - first)
            for number, word in enumerate(unpack(f"<{count}Q", int(slots.address)), first):
                self.add(word, group, f"[{number}]")
            first, chunk = first + count, chunk + 1

    def add_global_handles(self):
        stack = variable("gc/mutator/handles.c", "globals")
        for chunk in range(int(stack["chunk_count"])):
            slots = stack["chunks"][chunk]["slots"]
            start, count = int(slots.address), array_length(slots)
            for number, word in enumerate(unpack(f"<{count}Q", start)):
                self.add(word, "global handles", f"handle {start + number * WORD:#x}")

    def add_variables(self, module):
        for index in range(int(module["root_count"])):
            roots = module["roots"][index]
            start, count = int(roots["first"]), int(roots["count"])
            for number, word in enumerate(unpack(f"<{count}Q", start)):
                if self.heap.is_reference(word):
                    self.add(word, "global variables", name_of_variable(start + number * WORD))

    def add_side_tables(self):
        for word, in side_entries(variable("gc/weak/pin.c", "pins"), "<Q"):
            self.add(word, "pinned objects", "pinned object")
        finalizers = "gc/weak/finalizer.c"
        for _, _, held in side_entries(variable(finalizers, "spgc_registrations"), "<QQQ"):
            self.add(held, "finalizers", "held by a finalizer")
        queue = variable(finalizers, "queue")
        for index in range(int(queue["first"]), int(queue["end"])):
            queued, held = unpack("<QQ", int(queue["entries"][index].address))
            self.add(queued, "finalizers", "queued object")
            self.add(held, "finalizers", "held by a finalizer")
