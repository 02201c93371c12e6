"""What the modules in ../gdb need of a debugger, by lldb. ../gdb/spgc_debugger.py has the same by
gdb, and says what each thing is for."""
import contextlib

import lldb

session = None  # the debugger that runs a command


class Unreadable(Exception):
    pass


class Refusal(Exception):
    pass


class Value:
    """A value with gdb's operators."""

    def __init__(self, value):
        self.value = value

    def __int__(self):
        return self.value.GetValueAsUnsigned()

    __index__ = __int__

    def __str__(self):
        return self.value.GetValue()

    def __getitem__(self, key):
        value, kind = self.value, self.value.GetType()
        if not isinstance(key, str):
            element = kind.GetPointeeType() if kind.IsPointerType() else kind.GetArrayElementType()
            start = int(self) if kind.IsPointerType() else value.GetLoadAddress()
            return typed(element, start + int(key) * element.GetByteSize())
        if kind.IsPointerType():
            value = typed(kind.GetPointeeType(), int(self)).value
        return Value(value.GetChildMemberWithName(key))

    @property
    def address(self):
        return self.value.GetLoadAddress()


def target():
    return session.GetSelectedTarget()


def process():
    return target().GetProcess()


def processor():
    return target().GetTriple().split("-")[0]


def selected():
    return process().GetSelectedThread().GetSelectedFrame()


def typed(kind, address):
    return Value(target().CreateValueFromAddress("it", lldb.SBAddress(address, target()), kind))


def variable(file, name):
    for one in target().FindGlobalVariables(name, 100):
        if one.GetDeclaration().GetFileSpec().fullpath.endswith("/" + file):
            return Value(one)
    raise Refusal("no debug information of libspgc here: is the library loaded, and not stripped?")


def structure(name, address):
    return typed(target().FindFirstType(name), int(address))


def array_length(value):
    return value.value.GetNumChildren()


def read(address, size):
    error = lldb.SBError()
    data = process().ReadMemory(address, size, error)
    if error.Fail() or len(data) != size:
        raise Unreadable(f"{address:#x}: {error}")
    return data


def text_at(address):
    bytes_read = b""
    while b"\0" not in bytes_read:
        # Pieces do not cross into the next page, which may be missing.
        start = address + len(bytes_read)
        bytes_read += read(start, 64 - start % 64)
    return bytes_read.partition(b"\0")[0].decode(errors="backslashreplace")


def address_of(argument):
    options = lldb.SBExpressionOptions()
    options.SetAllowJIT(False)  # so that nothing runs in the process
    value = selected().EvaluateExpression(argument, options)
    if value.GetError().Fail() or value.GetValue() is None:
        raise Refusal(f"{argument} is no address: {value.GetError().GetCString()}")
    return value.GetValueAsUnsigned()


def symbol_of(address):
    place = target().ResolveLoadAddress(address)
    symbol = place.GetSymbol()
    if not symbol.IsValid():
        return hex(address)
    offset = address - symbol.GetStartAddress().GetLoadAddress(target())
    return symbol.GetName() + (f" + {offset}" if offset else "")


class Frame:
    def __init__(self, frame):
        self.frame, self.pc = frame, frame.GetPC

    def older(self):
        frame = self.frame.GetThread().GetFrameAtIndex(self.frame.GetFrameID() + 1)
        return Frame(frame) if frame.IsValid() else None

    def register(self, name):
        return self.frame.FindRegister(name).GetValueAsUnsigned()

    def is_inlined(self):
        return self.frame.IsInlined()

    def is_of_signal(self):
        return self.frame.GetFunctionName() == "__restore_rt"  # of glibc, and of musl

    def place(self):
        line = self.frame.GetLineEntry()
        source = f" at {line.GetFileSpec().basename}:{line.GetLine()}" if line.IsValid() else ""
        return f"{self.frame.GetFunctionName() or hex(self.pc())}{source}"


def selected_frame():
    return Frame(selected())


def threads():
    for thread in process():
        yield f"lldb's thread {thread.GetIndexID()}", Frame(thread.GetFrameAtIndex(0))


@contextlib.contextmanager
def fiber_frames(saved):
    """lldb unwinds from the registers of a thread only."""
    yield None
