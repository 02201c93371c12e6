#!/usr/bin/env python3
"""nib.py FILE.nib: prints a program of Nib as LLVM IR."""
import pathlib
import sys

from reader import Text, check, read

REF = "ptr addrspace(1)"
CAPTURED = 32  # bytes of a closure before what it captured: see prelude.ll
MOST_PARAMETERS = 5  # with the closure they fill six registers; the seventh would go on the stack
CONSTANTS = {"nil": "null", "true": f"inttoptr (i64 2 to {REF})"}
# Functions of prelude.ll (nib.) and runtime.c (nib_), and how many arguments they take.
PRIMITIVES = {"+": ("nib.add", 2), "-": ("nib.subtract", 2), "*": ("nib.multiply", 2),
              "<": ("nib.less", 2), "=": ("nib.same", 2), "cons": ("nib.cons", 2),
              "head": ("nib.head", 1), "tail": ("nib.tail", 1), "set-head!": ("nib.set_head", 2),
              "join": ("nib_join", 2), "words": ("nib_words", 1), "print": ("nib_print", 1)}


def is_definition(form):
    return isinstance(form, list) and form[:1] == ["define"] and len(form) > 2


class Program:
    """A module: its definitions, and which names are global."""

    def __init__(self):
        self.definitions, self.globals = [], set()

    def add(self, definition):
        self.definitions.append(definition)

    def compile(self, forms, name="nib_main"):
        """Names first: functions may use what a later form defines."""
        main = Function(self)
        for form in filter(is_definition, forms):
            self.declare(form[1][0] if isinstance(form[1], list) else form[1])
        for form in forms:
            if is_definition(form):
                self.define(main, *form[1:])
            else:
                main.compile(form)
        main.finish(f"void @{name}()", "ret void")

    def declare(self, name):
        check(name not in self.globals, f"second definition of {name}")
        self.globals.add(name)
        self.add(f'@"nib:{name}" = global {REF} null')

    def define(self, main, name, *body):
        """(define (f x...) body...) is (define f (lambda (x...) body...))."""
        if isinstance(name, list):
            name, body = name[0], [["lambda", name[1:], *body]]
        check(len(body) == 1, f"wrong definition of {name}")
        main.emit(f'store {REF} {main.compile(body[0])}, ptr @"nib:{name}"')


class Function:
    """A function of IR while it is made."""

    def __init__(self, program, parameters=(), outer=None):
        self.program, self.outer = program, outer
        self.names = {name: f"%argument.{i}" for i, name in enumerate(parameters)}
        self.captured, self.lines, self.count, self.block = [], [], 0, "entry"

    def emit(self, line):
        self.lines.append(f"  {line}")

    def value(self, instruction):
        self.count += 1
        self.emit(f"%v{self.count} = {instruction}")
        return f"%v{self.count}"

    def begin(self, block):
        self.lines.append(f"{block}:")
        self.block = block

    def finish(self, head, *last):
        body = [*self.lines, *(f"  {line}" for line in last)]
        self.program.add("\n".join([f'define {head} gc "statepoint-example" {{', *body, "}"]))

    def compile(self, form, tail=False):
        """Emits code for a form and gives its value. In tail position, the code returns it."""
        check(form != [], "() is no form: the empty list is nil")
        name = form[0] if isinstance(form, list) and isinstance(form[0], str) else None
        if name in SPECIAL:
            value = SPECIAL[name](self, tail, *form[1:])
        elif name in PRIMITIVES:
            value = self.primitive(name, form[1:])
        elif isinstance(form, list):
            value = self.call(form, tail)
        else:
            value = self.atom(form)
        if tail and value is not None:
            self.emit(f"ret {REF} {value}")
        return value

    def atom(self, form):
        if isinstance(form, int):
            return f"inttoptr (i64 {2 * form + 1} to {REF})"
        if isinstance(form, Text):
            data = "".join(f"\\{byte:02x}" for byte in form.bytes)
            size, name = len(form.bytes), f"@text.{len(self.program.definitions)}"
            self.program.add(f'{name} = private constant [{size} x i8] c"{data}"')
            return self.value(f"call {REF} @nib_text(ptr {name}, i64 {size})")
        if self.knows(form):
            return self.local(form)
        if form in self.program.globals:
            return self.value(f'load {REF}, ptr @"nib:{form}"')
        check(form in CONSTANTS, f"no such name: {form}")
        return CONSTANTS[form]

    def knows(self, name):
        return name in self.names or (self.outer is not None and self.outer.knows(name))

    def local(self, name):
        """The value of a parameter or variable. Those of outer functions are in the closure."""
        if name in self.names:
            return self.names[name]
        if name not in self.captured:
            self.captured.append(name)
        at = self.captured_at("%self", self.captured.index(name))
        return self.value(f"load {REF}, {REF} {at}")

    def captured_at(self, closure, index):
        return self.value(f"getelementptr i8, {REF} {closure}, i64 {CAPTURED + 8 * index}")

    def primitive(self, name, forms):
        function, count = PRIMITIVES[name]
        check(len(forms) == count, f"{name} takes {count} arguments")
        values = ", ".join(f"{REF} {self.compile(form)}" for form in forms)
        return self.value(f"call {REF} @{function}({values})")

    def call(self, forms, tail):
        values = [f"{REF} {self.compile(form)}" for form in forms]
        code = self.value(f"call ptr @nib.code({values[0]}, i64 {len(forms) - 1})")
        manner = "musttail call tailcc" if tail else "call tailcc"
        return self.value(f"{manner} {REF} {code}({', '.join(values)})")

    def compile_if(self, tail, condition, then, otherwise):
        test = self.value(f"icmp ne {REF} {self.compile(condition)}, null")
        number, arms = self.count, []
        self.emit(f"br i1 {test}, label %then{number}, label %else{number}")
        for block, form in (f"then{number}", then), (f"else{number}", otherwise):
            self.begin(block)
            value = self.compile(form, tail)
            arms.append(f"[ {value}, %{self.block} ]")
            if not tail:
                self.emit(f"br label %end{number}")
        if tail:
            return None
        self.begin(f"end{number}")
        return self.value(f"phi {REF} {', '.join(arms)}")

    def compile_let(self, tail, bindings, *body):
        outside = dict(self.names)
        for name, form in bindings:
            self.names[name] = self.compile(form)
        value = self.body(tail, body)
        self.names = outside
        return value

    def body(self, tail, forms):
        for form in forms[:-1]:
            self.compile(form)
        value = self.compile(forms[-1], tail)
        return None if tail else value

    def compile_lambda(self, _, parameters, *body):
        check(len(parameters) <= MOST_PARAMETERS, f"more than {MOST_PARAMETERS} parameters")
        inner = Function(self.program, parameters, self)
        inner.emit("call void @nib.enter()")
        inner.body(True, body)
        name = f"@lambda.{len(self.program.definitions)}"
        arguments = "".join(f", {REF} %argument.{i}" for i in range(len(parameters)))
        inner.finish(f"internal tailcc {REF} {name}({REF} %self{arguments})")
        values = [self.local(captured) for captured in inner.captured]
        sizes = f"i64 {len(parameters)}, i64 {len(values)}"
        closure = self.value(f"call {REF} @nib.closure(ptr {name}, {sizes})")
        for index, value in enumerate(values):
            self.emit(f"store {REF} {value}, {REF} {self.captured_at(closure, index)}")
        return closure

    def compile_list(self, _, *forms):
        values, list_so_far = [self.compile(form) for form in forms], "null"
        for value in reversed(values):
            list_so_far = self.value(f"call {REF} @nib.cons({REF} {value}, {REF} {list_so_far})")
        return list_so_far


SPECIAL = {"if": Function.compile_if, "let": Function.compile_let,
           "lambda": Function.compile_lambda, "list": Function.compile_list}

if __name__ == "__main__":
    check(len(sys.argv) == 2, "usage: nib.py FILE.nib")
    program = Program()
    program.compile(read(pathlib.Path(sys.argv[1]).read_text()))
    prelude = pathlib.Path(__file__).with_name("prelude.ll").read_text()
    print(prelude, *program.definitions, sep="\n")
