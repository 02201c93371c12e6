"""Lox's text as nested tuples, for the reference interpreter. It takes what is Lox and gives up on
anything else: messages about wrong text are the compiler's to test.

Names are resolved here, as the book's compiler does: a name is a local variable from its
declaration on, in the innermost scope that has it, or else a global one.
"""
import re

TOKEN = re.compile(r"""\s+ | //[^\n]* | (?P<number>\d+(?:\.\d+)?) | "(?P<string>[^"]*)"
                       | (?P<name>[A-Za-z_]\w*) | (?P<mark>[!=<>]=|[-+*/(){}\[\],.;!<>=])""",
                   re.X | re.A)
KEYWORDS = set("and class else false for fun if nil or print return super this true var while"
               .split())
BINARY = [["or"], ["and"], ["==", "!="], ["<", "<=", ">", ">="], ["+", "-"], ["*", "/"]]


class NotLox(Exception):
    pass


def tokens(text):
    at, line, found = 0, 1, []
    while at < len(text):
        match = TOKEN.match(text, at)
        if not match:
            raise NotLox(f"line {line}: {text[at]!r}")
        kind, value = match.lastgroup, match.group(match.lastgroup) if match.lastgroup else None
        if kind == "name" and value in KEYWORDS:
            kind = "mark"
        if kind:
            found.append((kind, value, line))
        line += match.group().count("\n")
        at = match.end()
    found.append(("end", None, line))
    return found


class Function:
    """What is being read. `scopes` has the slots of local variables by name, outermost first."""

    def __init__(self, enclosing, kind):
        self.enclosing, self.kind = enclosing, kind
        self.scopes, self.slots, self.captures = [{}], 0, []

    def declare(self, name):
        self.scopes[-1][name] = self.slots
        self.slots += 1
        return self.slots - 1

    def find(self, name):
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        return None

    def capture(self, name):
        """A slot of this function for a variable of those around it."""
        if self.enclosing is None:
            return None
        outer = self.enclosing.find(name)
        if outer is None:
            outer = self.enclosing.capture(name)
        if outer is None:
            return None
        slot = self.slots
        self.slots += 1
        self.scopes[0][name] = slot
        self.captures.append((outer, slot))
        return slot


class Parser:
    def __init__(self, text):
        self.tokens, self.at = tokens(text), 0
        self.function = None
        self.throw_is_name = re.search(r"\b(?:var|fun|class)\s+throw\b", text) is not None

    # ---- Tokens ----

    def check(self, *marks):
        kind, value, _ = self.tokens[self.at]
        return kind == "mark" and value in marks

    def check_name(self, name):
        return self.tokens[self.at][:2] == ("name", name)

    def take(self):
        self.at += 1
        return self.tokens[self.at - 1][1]

    def match(self, *marks):
        return self.take() if self.check(*marks) else None

    def need(self, mark):
        if not self.match(mark):
            _, value, line = self.tokens[self.at]
            raise NotLox(f"line {line}: {mark!r} expected, not {value!r}")

    def name(self):
        if self.tokens[self.at][0] != "name":
            raise NotLox(f"line {self.tokens[self.at][2]}: a name expected")
        return self.take()

    # ---- Names ----

    def is_global(self):
        return self.function.enclosing is None and len(self.function.scopes) == 1

    def declare(self, name):
        return None if self.is_global() else self.function.declare(name)

    def variable(self, name):
        slot = self.function.find(name)
        if slot is None:
            slot = self.function.capture(name)
        return ("global", name) if slot is None else ("local", slot)

    def scoped(self, read):
        self.function.scopes.append({})
        result = read()
        self.function.scopes.pop()
        return result

    # ---- Statements ----

    def program(self):
        self.function = Function(None, "script")
        body = self.statements_until_end()
        return ("function", "script", [], body, self.function.slots, [], "script")

    def statements_until_end(self):
        body = []
        while self.tokens[self.at][0] != "end":
            body.append(self.declaration())
        return body

    def declaration(self):
        if self.match("class"):
            return self.class_declaration()
        if self.match("fun"):
            name = self.name()
            slot = self.declare(name)
            return ("declare_function", name, slot, self.function_rest(name, "function"))
        if self.match("var"):
            return self.var_declaration()
        return self.statement()

    def var_declaration(self):
        name = self.name()
        value = self.expression() if self.match("=") else ("constant", None)
        self.need(";")
        return ("var", name, self.declare(name), value)

    def function_rest(self, name, kind):
        self.function = Function(self.function, kind)
        if kind in ("method", "init"):
            self.function.declare("this")
        self.function.scopes.append({})
        parameters = []
        self.need("(")
        while not self.check(")"):
            parameters.append(self.function.declare(self.name()))
            if not self.match(","):
                break
        self.need(")")
        self.need("{")
        body = self.block()
        function, self.function = self.function, self.function.enclosing
        return ("function", name, parameters, body, function.slots, function.captures, kind)

    def class_declaration(self):
        name = self.name()
        slot = self.declare(name)
        superclass = None
        if self.match("<"):
            superclass = self.variable(self.name())
        self.function.scopes.append({})
        super_slot = self.function.declare("super") if superclass else None
        self.need("{")
        methods = []
        while not self.match("}"):
            method = self.name()
            kind = "init" if method == "init" else "method"
            methods.append((method, self.function_rest(method, kind)))
        self.function.scopes.pop()
        return ("class", name, slot, superclass, super_slot, methods)

    def block(self):
        body = []
        while not self.match("}"):
            body.append(self.declaration())
        return ("block", body)

    def statement(self):
        if self.match("print"):
            value = self.expression()
            self.need(";")
            return ("print", value)
        if self.match("{"):
            return self.scoped(self.block)
        if self.match("if"):
            return self.if_statement()
        if self.match("while"):
            self.need("(")
            condition = self.expression()
            self.need(")")
            return ("while", condition, self.statement(), None)
        if self.match("for"):
            return self.scoped(self.for_statement)
        if self.match("return"):
            value = ("constant", None) if self.check(";") else self.expression()
            self.need(";")
            return ("return", value)
        if self.check_name("try") and self.tokens[self.at + 1][:2] == ("mark", "{"):
            return self.try_statement()
        if self.begins_throw():
            self.take()
            value = self.expression()
            self.need(";")
            return ("throw", value)
        value = self.expression()
        self.need(";")
        return ("expression", value)

    def begins_throw(self):
        if not self.check_name("throw"):
            return False
        kind, value, _ = self.tokens[self.at + 1]
        if kind in ("name", "number", "string"):
            return True
        if kind == "mark" and value in ("this", "super", "!", "nil", "true", "false"):
            return True
        return kind == "mark" and value in ("(", "[", "-") and not self.throw_is_name

    def if_statement(self):
        self.need("(")
        condition = self.expression()
        self.need(")")
        then = self.statement()
        return ("if", condition, then, self.statement() if self.match("else") else None)

    def for_statement(self):
        self.need("(")
        start = ("block", [])
        if self.match("var"):
            start = self.var_declaration()
        elif not self.match(";"):
            start = ("expression", self.expression())
            self.need(";")
        condition = ("constant", True) if self.check(";") else self.expression()
        self.need(";")
        step = None if self.check(")") else self.expression()
        self.need(")")
        return ("block", [start, ("while", condition, self.statement(), step)])

    def try_statement(self):
        self.take()
        self.need("{")
        body = self.scoped(self.block)
        slot = handler = final = None
        if self.check_name("catch"):
            self.take()
            self.need("(")
            self.function.scopes.append({})
            slot = self.function.declare(self.name())
            self.need(")")
            self.need("{")
            handler = self.block()
            self.function.scopes.pop()
        if self.check_name("finally") and self.tokens[self.at + 1][:2] == ("mark", "{"):
            self.take()
            self.need("{")
            final = self.scoped(self.block)
        return ("try", body, slot, handler, final)

    # ---- Expressions ----

    def expression(self):
        target = self.binary(0)
        if not self.match("="):
            return target
        value = self.expression()
        if target[0] in ("local", "global"):
            return ("assign", target, value)
        if target[0] == "get":
            return ("set", target[1], target[2], value)
        if target[0] == "index":
            return ("index_set", target[1], target[2], value)
        raise NotLox("assignment to something else")

    def binary(self, level):
        if level == len(BINARY):
            return self.unary()
        left = self.binary(level + 1)
        while operator := self.match(*BINARY[level]):
            left = (operator if level < 2 else "binary", operator, left, self.binary(level + 1))
        return left

    def unary(self):
        operator = self.match("!", "-")
        return ("unary", operator, self.unary()) if operator else self.call()

    def arguments(self, end):
        items = []
        while not self.check(end):
            items.append(self.expression())
            if not self.match(","):
                break
        self.need(end)
        return items

    def call(self):
        value = self.primary()
        while True:
            if self.match("("):
                arguments = self.arguments(")")
                if value[0] in ("get", "super"):
                    value = ("invoke_" + value[0], *value[1:], arguments)
                else:
                    value = ("call", value, arguments)
            elif self.match("."):
                value = ("get", value, self.name())
            elif self.match("["):
                value = ("index", value, self.expression())
                self.need("]")
            else:
                return value

    def primary(self):
        kind, value, line = self.tokens[self.at]
        self.at += 1
        if kind == "number":
            return ("constant", float(value))
        if kind == "string":
            return ("constant", value)
        if kind == "name":
            return self.variable(value)
        if value == "this":
            return self.variable("this")
        if value == "super":
            self.need(".")
            return ("super", self.variable("super"), self.variable("this"), self.name())
        if value in ("nil", "true", "false"):
            return ("constant", {"nil": None, "true": True, "false": False}[value])
        if value == "(":
            inner = self.expression()
            self.need(")")
            return ("group", inner)
        if value == "[":
            return ("list", self.arguments("]"))
        raise NotLox(f"line {line}: an expression expected, not {value!r}")
