"""What spgc_heap.py and spgc_roots.py need of a debugger, by gdb: memory, variables of the library,
threads and frames. ../lldb/spgc_debugger.py has the same by lldb."""
import collections
import contextlib
import os

import gdb
import gdb.unwinder

Unreadable, Refusal = gdb.MemoryError, gdb.GdbError


def processor():
    """The name of the program's, as Meson has it."""
    name = gdb.selected_inferior().architecture().name()
    return "aarch64" if name.startswith("aarch64") else "x86_64"


def variable(file, name):
    """A variable of the library, by the file that defines it."""
    try:
        return gdb.parse_and_eval(f"'{file}'::{name}")
    except gdb.error:
        raise Refusal("no debug information of libspgc here: is the library loaded, and not "
                      "stripped?") from None


def structure(name, address):
    """A structure of the library."""
    number, kind = gdb.lookup_type("unsigned long"), gdb.lookup_type(f"struct {name}")
    return gdb.Value(address).cast(number).cast(kind.pointer()).dereference()


def array_length(value):
    return value.type.range()[1] + 1


def read(address, size):
    return bytes(gdb.selected_inferior().read_memory(address, size))


def text_at(address):
    pointer = gdb.lookup_type("char").pointer()
    return gdb.Value(address).cast(pointer).string(errors="backslashreplace")


def address_of(argument):
    try:
        return int(gdb.parse_and_eval(argument)) % 2**64
    except gdb.error as error:
        raise Refusal(f"{argument} is no address: {error}") from None


def symbol_of(address):
    text = gdb.execute(f"info symbol {address:#x}", to_string=True)
    return hex(address) if text.startswith("No symbol") else text.split(" in section")[0]


class Frame:
    def __init__(self, frame):
        self.frame, self.pc = frame, frame.pc

    def older(self):
        frame = self.frame.older()
        return frame and Frame(frame)

    def register(self, name):
        return int(self.frame.read_register(name)) % 2**64

    def is_inlined(self):
        return self.frame.type() == gdb.INLINE_FRAME

    def is_of_signal(self):
        """Whether the system made it, to call a handler."""
        return self.frame.type() == gdb.SIGTRAMP_FRAME

    def place(self):
        """The function and the source line."""
        line = self.frame.find_sal()
        source = f" at {os.path.basename(line.symtab.filename)}:{line.line}" if line.symtab else ""
        return f"{self.frame.name() or hex(self.pc())}{source}"


def selected_frame():
    return Frame(gdb.selected_frame())


def threads():
    """Names and newest frames. Each thread is the selected one meanwhile."""
    selected, frame = gdb.selected_thread(), gdb.selected_frame()
    try:
        for thread in sorted(gdb.selected_inferior().threads(), key=lambda one: one.num):
            thread.switch()
            yield f"gdb's thread {thread.num}", Frame(gdb.newest_frame())
    finally:
        selected.switch()
        frame.select()


FrameId = collections.namedtuple("FrameId", "sp pc")


def newest_call():
    """The newest frame of the selected thread that is no inlined function: gdb shows those as
    frames before it, and unwinds them by itself."""
    frame = gdb.newest_frame()
    while frame.type() == gdb.INLINE_FRAME:
        frame = frame.older()
    return frame


class FiberUnwinder(gdb.unwinder.Unwinder):
    """While `saved` is set, the frames of a fiber that is suspended are shown as those that called
    the newest one of the selected thread."""

    def __init__(self):
        super().__init__("spgc fibers")
        self.saved = self.level = None

    def __call__(self, pending):
        if self.saved is None or pending.level() != self.level:
            return None
        number = gdb.lookup_type("unsigned long")
        values = {name: gdb.Value(value).cast(number) for name, value in self.saved.items()}
        sp, pc = ("sp", "pc") if processor() == "aarch64" else ("rsp", "rip")
        info = pending.create_unwind_info(FrameId(values[sp], values[pc]))
        for name, value in values.items():
            info.add_saved_register(name, value)
        return info

    def show(self, saved):
        self.level = newest_call().level()
        self.saved = saved
        gdb.invalidate_cached_frames()


fiber_unwinder = FiberUnwinder()
gdb.unwinder.register_unwinder(None, fiber_unwinder, replace=True)


@contextlib.contextmanager
def fiber_frames(saved):
    """A frame whose older ones are those of the fiber with these registers."""
    level = gdb.selected_frame().level()
    fiber_unwinder.show(saved)
    try:
        yield Frame(newest_call())
    finally:
        fiber_unwinder.show(None)
        frame = gdb.newest_frame()
        while frame.level() < level:
            frame = frame.older()
        frame.select()
