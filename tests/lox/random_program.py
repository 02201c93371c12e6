"""Random Lox programs; see fuzz-programs."""
from random_expressions import DEFAULTS, FIELDS, KINDS, METHODS, Function, Scope
from random_traps import Traps


class Program(Traps):
    """Program(seed).text() is the same everywhere."""

    def block(self, count, depth, variables=()):
        self.scopes.append(Scope(self.function))
        self.scopes[-1].variables.update(variables)
        self.indentation += 1
        for _ in range(count):
            self.statement(depth)
        self.indentation -= 1
        return self.scopes.pop()

    def statement(self, depth):
        ways = [(self.declare, 6), (self.assign, 6), (self.print, 5),
                 (self.set_field, 4), (self.call, 2)]
        if depth > 0:
            ways += [(self.condition, 3), (self.loop, 2), (self.braces, 1),
                (self.declare_function, 2),
                     (self.declare_class, 1), (self.change_kind, 2), (self.collect_closures, 1),
                     (self.visit_instances, 1), (self.outgrow,
                      0.5), (self.cycle, 0.4), (self.chain, 0.4),
                     (self.bind, 1), (self.shadow_method, 0.6), (self.pass_many, 0.1),
                     (self.counters, 1),
                     (self.nest, 0.2), (self.swap, 1), (self.remake_class, 0.4)]
            if self.function.result and self.function.kind != "init":
                ways.append((self.leave, 0.7))
        functions, weights = zip(*ways)
        self.random.choices(functions, weights)[0](depth - 1)

    def declare(self, depth):
        kind = self.random.choice(KINDS)
        value = self.bounded(kind)
        name = self.name("v")
        if name in self.scopes[-1].variables or name in value.replace("(", " ").replace(")",
            " ").split():
            name = f"v{self.names}_"
        if kind == "any" and self.chance(0.2):
            self.emit(f"var {name};")
        else:
            self.emit(f"var {name} = {value};")
        self.scopes[-1].variables[name] = kind

    def assign(self, depth):
        names = self.visible(lambda k: not isinstance(k, tuple))
        names = [n for n in names if n not in ("this", "spare") and self.kind_of(n) != "counter"]
        if not names:
            return self.declare(depth)
        name = self.random.choice(names)
        kind = self.kind_of(name)
        if kind in ("num", "str") and self.chance(0.3):
            more = self.pick("1", "0.5") if kind == "num" else self.pick('"x"', '"yz"')
            self.emit(f"{name} = {name} + {more};")
            if kind == "str":
                self.emit(f'if (len({name}) > 40) {name} = "short";')
        else:
            self.emit(f"{name} = {self.bounded(kind)};")

    def print(self, depth):
        self.emit(f"print {self.expression(self.random.choice(KINDS))};")

    def set_field(self, depth):
        name, kind = self.random.choice(list(FIELDS.items()))
        self.emit(f"{self.expression('inst', 1)}.{name} = {self.bounded(kind, 2)};")

    def call(self, depth):
        self.emit((self.call_for(self.random.choice(
            ["num", "str", "any", "inst"]), 2) or "nil") + ";")

    def condition(self, depth):
        self.emit(f"if ({self.expression(self.pick('bool', 'any', 'bool'))}) {{")
        self.block(self.random.randrange(1, 4), depth)
        if self.chance(0.5):
            self.emit("} else {")
            self.block(self.random.randrange(1, 4), depth)
        self.emit("}")

    def loop(self, depth):
        if self.loops >= 2:
            return self.condition(depth)
        self.loops += 1
        i = self.name("i")
        count = self.random.randrange(1, 5)
        if self.chance(0.7):
            self.emit(f"for (var {i} = 0; {i} < {count}; {i} = {i} + 1) {{")
            self.block(self.random.randrange(1, 4), depth, {f"{i}": "counter"})
            self.emit("}")
        else:
            i = f"w{self.names}"
            self.emit("{")
            self.emit(f"var {i} = {count};")
            self.emit(f"while ({i} > 0 and fuel > 0) {{")
            self.emit(f"{i} = {i} - 1;")
            self.block(self.random.randrange(1, 4), depth, {f"{i}": "counter"})
            self.emit("}")
            self.emit("}")
        self.loops -= 1

    def braces(self, depth):
        self.emit("{")
        self.block(self.random.randrange(1, 5), depth)
        self.emit("}")

    def body(self, parameters, result, kind, depth, has_super=False, count=None):
        self.functions += 1
        loops, self.loops = self.loops, 0
        self.scopes.append(Scope(Function(result, kind, has_super)))
        self.scopes[-1].variables.update(parameters)
        self.indentation += 1
        self.emit("fuel = fuel - 1;")
        self.emit("if (fuel < 0) return" + (";" if kind == "init" else f" {DEFAULTS[result]};"))
        for _ in range(self.random.randrange(0, 5) if count is None else count):
            self.statement(min(depth, 2))
        if kind != "init":
            self.emit(f"return {self.expression(result, 2)};")
        self.indentation -= 1
        self.scopes.pop()
        self.loops = loops

    def parameters(self, kinds):
        return {f"p{i}_{self.names}": kind for i, kind in enumerate(kinds)}

    def declare_function(self, depth):
        if self.functions > 25:
            return self.print(depth)
        kinds = [self.random.choice(KINDS) for _ in range(self.random.randrange(4))]
        result = self.random.choice(KINDS)
        name = self.name("fn")
        if name in self.scopes[-1].variables:
            name = f"fn{self.names}_"
        parameters = self.parameters(kinds)
        self.emit(f"fun {name}({', '.join(parameters)}) {{")
        if self.chance(0.3):
            self.scopes[-1].variables[name] = ("fun", kinds, result)
        self.body(parameters, result, "function", depth)
        self.emit("}")
        self.scopes[-1].variables[name] = ("fun", kinds, result)
        return None

    def declare_class(self, depth, name=None, everything=False):
        if self.functions > 25 and not everything:
            return self.print(depth)
        classes = self.visible(lambda k: isinstance(k, tuple) and k[0] == "class")
        above = self.random.choice(classes) if not everything else None
        new = name or self.name("K")
        if new in self.scopes[-1].variables or new == above:
            new = f"K{self.names}_"
        initial = self.kind_of(above)[1] if above else []
        has_init = everything or self.chance(0.5)
        if has_init and not everything:
            initial = [self.random.choice(KINDS) for _ in range(self.random.randrange(3))]
        self.emit(f"class {new}{' < ' + above if above else ''} {{")
        self.indentation += 1
        self.scopes.append(Scope(Function(None, "class")))
        if self.chance(0.3) and not everything:
            self.scopes[-1].variables[new] = ("class", initial)
        if has_init:
            self.declare_init(initial, above, depth)
        for method, (kinds, result) in METHODS.items():
            if everything or self.chance(0.4):
                parameters = self.parameters(kinds)
                self.emit(f"{method}({', '.join(parameters)}) {{")
                self.body({"this": "inst", **parameters}, result, "method", depth,
                    above is not None,
                          0 if everything else None)
                self.emit("}")
        self.scopes.pop()
        self.indentation -= 1
        self.emit("}")
        self.scopes[-1].variables[new] = ("class", initial)
        return new

    def declare_init(self, kinds, above, depth):
        parameters = self.parameters(kinds)
        self.emit(f"init({', '.join(parameters)}) {{")
        self.indentation += 1
        fields = list(FIELDS.items())
        self.random.shuffle(fields)
        if above:
            base = self.kind_of(above)[1]
            self.emit(f"super.init({', '.join(DEFAULTS[k] for k in base)});")
            fields = fields[:self.random.randrange(5)]
        for name, kind in fields:
            own = [p for p, k in parameters.items() if k == kind]
            self.emit(f"this.{name} = {own[0] if own else DEFAULTS[kind].replace('spare', 'nil')};")
        if above and self.chance(0.5):
            self.body({"this": "inst", **parameters}, "any", "init", depth, True)
        self.indentation -= 1
        self.emit("}")

    def leave(self, depth):
        self.emit(
            f"if ({self.expression('bool', 2)}) return {self.expression(self.function.result, 2)};")

    def text(self):
        self.emit(f"var fuel = {self.pick(50, 150, 300)};")
        self.emit(
            'fun cut(text) { if (len(text) > 40) return substring(text, 0, 9); return text; }')
        self.emit("var spare = nil;")
        self.declare_class(1, "K0", everything=True)
        self.emit("spare = K0();")
        self.scopes[0].variables["spare"] = "inst"
        places = sorted(self.random.sample(range(30), 4))
        for i in range(self.random.randrange(12, 40)):
            self.statement(3)
            if places and i == places[0]:
                places.pop(0)
                name, kind = self.random.choice(list(self.late.items()))
                self.emit(f"var {name} = {self.bounded(kind)};")
        return "\n".join(self.lines) + "\n"
