"""Random Lox expressions; see fuzz-programs."""
import random

FIELDS = {"f0": "num", "f1": "num", "f2": "num", "f3": "str",
    "f4": "str", "f5": "any", "f6": "any", "f7": "list"}
METHODS = {"m0": ([], "num"), "m1": (["num"], "num"), "m2": (["num", "any"], "str"),
    "m3": (["any"], "any"),
           "m4": ([], "inst"), "m5": (["str", "num"], "num")}
KINDS = ["num", "num", "num", "str", "bool", "any", "any", "list", "inst"]
DEFAULTS = {"num": "7", "str": '"out"', "bool": "false",
    "any": "nil", "list": "[1, 2, 3]", "inst": "spare"}


class Scope:
    """variables: name -> kind; ("fun", parameters, result) for functions, ("class", parameters) for
    classes."""

    def __init__(self, function):
        self.function = function
        self.variables = {}


class Function:
    def __init__(self, result, kind="function", has_super=False):
        self.result, self.kind, self.has_super = result, kind, has_super


class Expressions:
    """The state of a program in the making, and its expressions: each of a kind, so that most
    programs run on."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.mistakes = self.random.choice([0, 0, 0.001, 0.004])
        self.lines, self.indentation, self.names, self.functions = [], 0, 0, 0
        self.scopes = [Scope(Function(None, "script"))]
        self.late = {f"late{i}": self.random.choice(KINDS) for i in range(4)}
        self.loops = 0

    # ---- small things

    def chance(self, probability):
        return self.random.random() < probability

    def pick(self, *choices):
        return self.random.choice(choices)

    def name(self, prefix):
        """Mostly a new name; now and then one that shadows another."""
        self.names += 1
        taken = self.scopes[-1].variables
        old = [n for s in self.scopes[1:-1] for n in s.variables if n not in taken and n != "this"]
        if len(self.scopes) > 1 and old and self.chance(0.15):
            return self.random.choice(old)
        return f"{prefix}{self.names}"

    def emit(self, text):
        self.lines.append("  " * self.indentation + text)

    def visible(self, test):
        seen, found = set(), []
        for scope in reversed(self.scopes):
            for name, kind in scope.variables.items():
                if name not in seen and test(kind):
                    found.append(name)
                seen.add(name)
        return found

    def kind_of(self, name):
        return next(s.variables[name] for s in reversed(self.scopes) if name in s.variables)

    @property
    def function(self):
        return self.scopes[-1].function

    def gap(self):
        return "\n" if self.chance(0.01) else " "

    # ---- expressions

    def expression(self, kind, depth=3):
        if self.chance(self.mistakes):
            kind = self.random.choice(KINDS)
        if self.chance(0.02) and self.function.kind != "script":
            late = [n for n, k in self.late.items() if k == kind]
            if late and self.chance(0.3):
                return self.random.choice(late)
        if depth > 0 and self.chance(0.25):
            call = self.call_for(kind, depth - 1)
            if call:
                return call
        variables = self.visible(lambda k: k == kind or (kind, k) == ("num", "counter"))
        if variables and self.chance(0.45):
            name = self.random.choice(variables)
            if depth > 0 and name not in ("this", "spare") and self.kind_of(
                name) == kind and self.chance(0.05):
                return f"({name} = {self.bounded(kind, depth - 1)})"
            return name
        return getattr(self, "make_" + kind)(depth)

    def bounded(self, kind, depth=3):
        """Strings that are kept must not double for ever."""
        text = self.expression(kind, depth)
        return f"cut({text})" if kind == "str" and not text.startswith('"') else text

    def arguments(self, kinds, depth):
        return ("," + self.gap()).join(self.bounded(k, depth) for k in kinds)

    def call_for(self, kind, depth):
        ways = []
        functions = self.visible(lambda k: isinstance(k, tuple) and k[0] == "fun" and k[2] == kind)
        ways += [("function", f) for f in functions]
        ways += [("method", m) for m, (_, result) in METHODS.items() if result == kind]
        ways += [("field", f) for f, k in FIELDS.items() if k == kind]
        if self.function.kind in ("method", "init") and self.function.has_super:
            ways += [("super", m) for m, (_, result) in METHODS.items() if result == kind]
        if not ways:
            return None
        way, name = self.random.choice(ways)
        if way == "function":
            return f"{name}({self.arguments(self.kind_of(name)[1], depth)})"
        if way == "super":
            bound = f"super.{name}"
            return f"{bound}({self.arguments(METHODS[name][0], depth)})"
        receiver = self.expression("inst", depth - 1)
        if way == "field":
            return f"{receiver}.{name}"
        return (f"{receiver}{self.pick('', '', self.gap().strip(' '))}.{name}("
                f"{self.arguments(METHODS[name][0], depth)})")

    def make_num(self, depth):
        if depth <= 0 or self.chance(0.3):
            return self.pick("0", "1", "2", "3", "7", "0.5", "-1", "1000000000000000", "0.1",
                "123456789", "-0",
                             str(self.random.randrange(100)))
        way = self.random.randrange(10)
        if way < 6:
            operator = self.pick("+", "+", "-", "*", "/", "-")
            return (f"({self.expression('num', depth - 1)} {operator}{self.gap()}"
                    f"{self.expression('num', depth - 1)})")
        if way == 6:
            return f"-{self.expression('num', depth - 1)}"
        if way == 7:
            return f"len({self.expression(self.pick('list', 'str'), depth - 1)})"
        if way == 8:
            return f"({self.pick('nil', 'false')} or {self.expression('num', depth - 1)})"
        return (f"({self.expression('num', depth - 1)} {self.pick('and', 'or')} "
                f"{self.expression('num', depth - 1)})")

    def make_str(self, depth):
        if depth <= 0 or self.chance(0.4):
            return self.pick('""', '"a"', '"lox"', '"two words"', '"0"', '"nil"')
        way = self.random.randrange(6)
        if way < 3:
            return (f"({self.expression('str', depth - 1)} +{self.gap()}"
                    f"{self.expression('str', depth - 1)})")
        if way == 3:
            of = self.pick('num', 'bool', 'any', 'inst')
            return f"cut(to_string({self.expression(of, depth - 1)}))"
        if way == 4:
            return f'char_at("abcdef", {self.random.randrange(6)})'
        return f"({self.expression('str', depth - 1)} and {self.expression('str', depth - 1)})"

    def make_bool(self, depth):
        if depth <= 0 or self.chance(0.2):
            return self.pick("true", "false")
        way = self.random.randrange(6)
        if way < 3:
            operator = self.pick("<", ">", "<=", ">=", "==", "!=")
            return (f"({self.expression('num', depth - 1)} {operator} "
                    f"{self.expression('num', depth - 1)})")
        if way == 3:
            return (f"({self.expression('any', depth - 1)} {self.pick('==', '!=')} "
                    f"{self.expression('any', depth - 1)})")
        if way == 4:
            return f"!{self.expression(self.pick('any', 'bool', 'num'), depth - 1)}"
        return (f"({self.expression('bool', depth - 1)} {self.pick('and', 'or')} "
                f"{self.expression('bool', depth - 1)})")

    def make_any(self, depth):
        if depth <= 0 or self.chance(0.1):
            return self.pick("nil", "true", "3", '"any"', "-0")
        way = self.random.randrange(10)
        if way < 4:
            return self.expression(self.pick("num", "str", "bool", "inst"), depth - 1)
        if way < 6:
            return (f"({self.expression('any', depth - 1)} {self.pick('and', 'or')} "
                    f"{self.expression('any', depth - 1)})")
        if way == 6:
            callables = self.visible(lambda k: isinstance(k, tuple))
            return self.random.choice(callables) if callables else "nil"
        if way == 7:
            return f"{self.expression('inst', depth - 1)}.{self.random.choice(list(METHODS))}"
        if way == 8:
            return f"{self.expression('list', depth - 1)}[{self.random.randrange(3)}]"
        return f"[{self.arguments(['num', 'str', 'bool'], depth - 1)}]"

    def make_list(self, depth):
        kinds = [self.pick("num", "str", "any", "inst") for _ in range(self.random.randrange(3, 6))]
        return f"[{self.arguments(kinds, depth - 2)}]"

    def make_inst(self, depth):
        classes = self.visible(lambda k: isinstance(k, tuple) and k[0] == "class")
        if depth <= 0 or not classes:
            return "spare"
        name = self.random.choice(classes)
        return f"{name}({self.arguments(self.kind_of(name)[1], depth - 2)})"
