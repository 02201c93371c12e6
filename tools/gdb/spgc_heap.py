"""The collector's heap as a debugger finds it in memory: descriptors and objects. For spgc.py."""
import array
import struct

from spgc_debugger import Refusal, Unreadable, read, text_at, variable

WORD = 8
# enum spgc_type_flags
TAIL, VALUES, TAIL_VALUES = 1, 2, 4
TYPE_LAYOUT = "<IIIIQIIQQ"  # struct spgc_type: include/spgc/type.h


def unpack(layout, address):
    return struct.unpack(layout, read(address, struct.calcsize(layout)))


def word_at(address):
    return unpack("<Q", address)[0]


def printable(text):
    return "".join(one if one.isprintable() else f"\\x{ord(one):02X}" for one in text)


class Type:
    """A struct spgc_type."""

    def __init__(self, address):
        (self.size, self.element_size, self.flags, count, offsets, element_count, field_names,
         element_offsets, name) = unpack(TYPE_LAYOUT, address)
        if (self.size < WORD or self.size % WORD or count * WORD > self.size
                or element_count * WORD > self.element_size):
            raise Unreadable(f"no type descriptor at {address:#x}")
        self.offsets = unpack(f"<{count}I", offsets) if count else ()
        self.element_offsets = unpack(
            f"<{element_count}I", element_offsets) if element_count else ()
        self.name = printable(text_at(name)) if name else "(no name)"
        self.first = 2 * WORD if self.flags & TAIL else WORD
        self.fixed = range(self.first, self.size, WORD) if self.flags & VALUES else self.offsets
        self.tail = (range(0, self.element_size, WORD) if self.flags & TAIL_VALUES
                     else self.element_offsets)
        self.field_names = word_at(address + field_names) if field_names else 0

    def object_size(self, length):
        return (self.size + length * self.element_size + WORD - 1) // WORD * WORD

    def places(self, length):
        """Offsets of the words that may be references."""
        yield from self.fixed
        for start in range(self.size, self.size + length * self.element_size if self.tail else 0,
                           self.element_size or 1):
            yield from (start + offset for offset in self.tail)

    def label(self, offset):
        """How a path names the word at an offset: a field, or an element."""
        if offset >= self.size and self.element_size:
            index, rest = divmod(offset - self.size, self.element_size)
            return f"[{index}]" + (f"+{rest}" if self.element_size > WORD else "")
        if self.field_names:
            name = word_at(self.field_names + WORD * list(self.fixed).index(offset))
            if name:
                return "." + printable(text_at(name))
        return f"+{offset}"


class Heap:
    """The objects, read a piece at a time. A command makes a new one, because memory changes."""
    PIECE, MOST_PIECES = 1 << 15, 1 << 12

    def __init__(self):
        heap = variable("gc/state/runtime.c", "spgc_runtime")["heap"]
        self.base, self.size = int(heap["base"]), int(heap["size"])
        self.types, self.pieces = {}, {}

    def is_reference(self, word):
        return word % WORD == 0 and 0 <= word - self.base < self.size

    def words(self, address, count):
        """Words of an object. Small ones lie within a piece: a block."""
        start = (address - self.base) // self.PIECE * self.PIECE + self.base
        if address + count * WORD > start + self.PIECE:
            return array.array("Q", read(address, count * WORD))
        if start not in self.pieces:
            if len(self.pieces) == self.MOST_PIECES:
                self.pieces.clear()
            try:
                self.pieces[start] = array.array("Q", read(start, self.PIECE))
            except Unreadable:  # a core file may have a part of it
                return array.array("Q", read(address, count * WORD))
        index = (address - start) // WORD
        return self.pieces[start][index:index + count]

    def type(self, header):
        if header not in self.types:
            self.types[header] = Type(header)
        return self.types[header]

    def moved(self, word):
        """Where the object is. In a collection a header may be a forwarding address."""
        header = self.words(word, 1)[0]
        return header if self.is_reference(header) else word

    def type_of(self, address):
        return self.type(self.words(address, 1)[0])

    def references(self, address):
        """Offset and word of each reference in an object."""
        kind = self.type_of(address)
        length = self.words(address + WORD, 1)[0] if kind.flags & TAIL else 0
        base, end = self.base, self.base + self.size
        size = kind.object_size(length if kind.tail else 0)
        if address + size > end:
            raise Unreadable(f"the object at {address:#x} has the length {length}")
        words = self.words(address, size // WORD)
        if kind.tail and kind.element_size == WORD:  # most tails, and they may be long
            places = list(kind.fixed) + list(range(kind.size, kind.size + length * WORD, WORD))
        else:
            places = kind.places(length)
        return [(offset, words[offset >> 3]) for offset in places
                if base <= words[offset >> 3] < end and not words[offset >> 3] & WORD - 1]

    def checked_type(self, address):
        if not self.is_reference(address):
            raise Refusal(f"{address:#x} is no address in the heap")
        header = word_at(address)
        if self.is_reference(header):
            raise Refusal(f"the object at {address:#x} has moved to {header:#x}")
        try:
            return self.type(header)
        except Unreadable:
            raise Refusal(f"{address:#x} is not the start of an object") from None

    def describe(self, word):
        if not self.is_reference(word):
            return f"{word:#x} (no object)"
        return f"{word:#x} {self.checked_type(word).name}"
