"""gdb commands for programs that use the collector:  source tools/gdb/spgc.py

  spgc roots           the references in the selected frame, and their objects
  spgc object ADDRESS  an object: its type's name, its size, its references

They call functions of the library in the process: it must run, a core dump is not enough. The
selected frame of `spgc roots` must be suspended in a call.
"""
import struct

import gdb

WORD = 8
# DWARF's numbers: System V psABI for x86-64, figure 3.36.
REGISTERS = {3: "rbx", 6: "rbp", 7: "rsp", 12: "r12", 13: "r13", 14: "r14", 15: "r15"}
# enum spgc_type_flags
TAIL, VALUES, TAIL_VALUES = 1, 2, 4


def call(result, function, argument):
    """Calls a function of the library while all other threads stand still."""
    before = gdb.parameter("scheduler-locking")
    gdb.execute("set scheduler-locking on", to_string=True)
    try:
        return gdb.parse_and_eval(f"(({result} (*)(unsigned long)) {function})({argument:#x})")
    finally:
        gdb.execute(f"set scheduler-locking {before}", to_string=True)


def unpack(layout, address):
    data = gdb.selected_inferior().read_memory(address, struct.calcsize(layout))
    return struct.unpack(layout, bytes(data))


def word_at(address):
    return unpack("<Q", address)[0]


def is_reference(word):
    return int(call("unsigned char", "spgc_is_heap_reference", word)) != 0


class Type:
    """A struct spgc_type: include/spgc/type.h."""

    def __init__(self, address):
        (self.size, self.element_size, self.flags, count, offsets, element_count, _,
            element_offsets,
         name) = unpack("<IIIIQIIQQ", address)
        self.offsets = unpack(f"<{count}I", offsets) if count else ()
        self.element_offsets = unpack(
            f"<{element_count}I", element_offsets) if element_count else ()
        self.name = gdb.Value(name).cast(gdb.lookup_type(
            "char").pointer()).string() if name else "(no name)"

    def object_size(self, length):
        return (self.size + length * self.element_size + WORD - 1) // WORD * WORD

    def places(self, length):
        """Offsets of the words that may be references."""
        first = 2 * WORD if self.flags & TAIL else WORD
        yield from range(first, self.size, WORD) if self.flags & VALUES else self.offsets
        for start in range(self.size, self.size + length * self.element_size,
            self.element_size or 1):
            all_words = range(0, self.element_size, WORD)
            yield from (start + offset for offset in (all_words if self.flags & TAIL_VALUES
                else self.element_offsets))


def type_of(address):
    if not is_reference(address):
        raise gdb.GdbError(f"{address:#x} is no address in the heap")
    header = word_at(address)
    if is_reference(header):
        raise gdb.GdbError(f"the object at {address:#x} has moved to {header:#x}")
    try:
        return Type(header)
    except gdb.MemoryError:
        raise gdb.GdbError(f"{address:#x} is not the start of an object") from None


def describe(word):
    return f"{word:#x} {type_of(word).name}" if is_reference(word) else f"{word:#x} (no object)"


class Prefix(gdb.Command):
    """Commands that ask the collector."""

    def __init__(self):
        super().__init__("spgc", gdb.COMMAND_DATA, prefix=True)


class Roots(gdb.Command):
    """The references in the selected frame."""

    def __init__(self):
        super().__init__("spgc roots", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        frame = gdb.selected_frame()
        address = frame.pc()
        values = {number: int(frame.read_register(name)) %
                              2**64 for number, name in REGISTERS.items()}
        text = call("const char *", "spgc_stackmap_frame_text", address)
        if int(text) == 0:  # no error, so that a script goes on with the next frame
            print("the frame is not managed code suspended in a call")
            return
        lines = text.string().splitlines()
        for line in lines:
            self.print_location(line.split(), values)
        if not lines:
            print("no references")

    @staticmethod
    def print_location(fields, values):
        kind, place, register, *rest = fields
        name, value = REGISTERS[int(register)], values[int(register)]
        show = describe if kind == "base" else "{:#x}".format
        if place == "register":
            print(f"{kind} ${name}: {show(value)}")
            return
        offset, words = map(int, rest)
        for at in range(offset, offset + words * WORD, WORD):
            print(f"{kind} ${name}{at:+d}: {show(word_at(value + at))}")


class Object(gdb.Command):
    """An object of the heap: spgc object ADDRESS."""

    def __init__(self):
        super().__init__("spgc object", gdb.COMMAND_DATA)

    def invoke(self, argument, from_tty):
        if not argument:
            raise gdb.GdbError("spgc object needs an ADDRESS")
        address = int(gdb.parse_and_eval(argument)) % 2**64
        type_ = type_of(address)
        length = word_at(address + WORD) if type_.flags & TAIL else 0
        tail = f", length {length}" if type_.flags & TAIL else ""
        print(f"{address:#x} {type_.name}: {type_.object_size(length)} bytes{tail}")
        for offset in type_.places(length):
            word = word_at(address + offset)
            if is_reference(word):
                print(f"  +{offset}: {describe(word)}")


Prefix()
Roots()
Object()
