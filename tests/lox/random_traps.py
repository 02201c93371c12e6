"""Pieces of Lox programs in which compilers and collectors go wrong; see fuzz-programs."""
from random_expressions import DEFAULTS, FIELDS, METHODS, Expressions


class Traps(Expressions):
    def change_kind(self, depth):
        """A local whose kind differs along the ways that lead to a use."""
        name = f"change{self.names}"
        self.names += 1
        values = {"num": "1", "str": '"s"', "bool": "true", "nil": "nil"}
        first, second = self.random.sample(sorted(values), 2)
        self.emit("{")
        self.emit(f"var {name} = {values[first]};")
        other = f"{name}_copy"
        self.emit(f"var {other} = {self.pick(name, values[first], values[second])};")
        captured = self.chance(0.4)
        if captured:
            self.emit(f"fun {name}_get() {{ return {name}; }}")
            self.emit(f"fun {name}_set(value) {{ {name} = value; }}")
        self.emit(f"for (var k = 0; k < 3; k = k + 1) {{")
        self.emit(f"print {name}; {other} = {name};")
        self.emit(f"if (k == 1) {name} = {self.pick(other, values[second], values[second])};")
        if captured and self.chance(0.5):
            self.emit(f"if (k == 2) {name}_set({self.pick('nil', '[k]', '5')});")
        value = self.pick(name, f"({name} and {values[second]})", f"({name} or k)",
                          f"{name} == {other}")
        self.emit(f"{other} = {value};")
        self.emit("}")
        self.emit(f"{name} = {self.expression('num', 2)}; var {name}_sum = {name} + 1; print "
                  f"{name}_sum;")
        self.emit(f"{name} = \"t\"; print {name} + \"u\";")
        self.emit(f"print {other};" + (f" print {name}_get();" if captured else ""))
        self.emit("}")

    def swap(self, depth):
        """Chains of assignments in a loop: what one local holds comes from another, a turn late."""
        a, b, c = (f"s{self.names}_{x}" for x in "abc")
        self.names += 1
        values = [self.pick("1", '"s"', "nil", "true", "[1]", "0.5") for _ in range(3)]
        self.emit("{")
        for name, value in zip((a, b, c), values):
            self.emit(f"var {name} = {value};")
        self.emit("for (var k = 0; k < 4; k = k + 1) {")
        self.emit(f"var t = {a}; {a} = {b}; {b} = {c}; {c} = t;")
        self.emit(f"print {self.pick(a, b, c)}; print {a} == {b};")
        self.emit("}")
        self.emit("}")

    def collect_closures(self, depth):
        closures = f"c{self.names}"
        self.names += 1
        self.emit("{")
        self.emit(f"var {closures} = [];")
        self.emit("for (var k = 0; k < 3; k = k + 1) {")
        self.emit(f"var own = {self.pick('k', 'k * 2', '[k]', 'to_string(k)')};")
        self.emit("fun show() { " + self.pick("print own;", "print k;", "own = k; print "
                                                                        "own;", "k = k + 0; print "
                                                                                "own;") +
                  " return own; }")
        self.emit(f"push({closures}, show);")
        if self.chance(0.4):
            self.emit(f"own = {self.pick('nil', 'k', '[]')};")
        self.emit("}")
        self.emit(f"for (var k = 0; k < len({closures}); k = k + 1) print {closures}[k]();")
        self.emit("}")

    def counters(self, depth):
        name = f"make{self.names}"
        self.names += 1
        self.emit(f"fun {name}(start) {{ var n = start; fun up(by) {{ n = n + by; return n; }} "
                  "fun get() { fun deeper() { return n; } return deeper(); } return [up, get, "
                  "nil]; }")
        self.emit(
            f"{{ var one = {name}({self.expression('num', 1)}); var two = {name}(5); one[0](1); "
            f"one[0](2); two[0](1);")
        self.emit("print one[1](); print two[1](); }")

    def visit_instances(self, depth):
        instances = f"o{self.names}"
        self.names += 1
        self.emit("{")
        self.emit(
            f"var {instances} = [{self.arguments(['inst'] * self.random.randrange(2, 7), 2)}];")
        if self.chance(0.5):
            self.emit("for (var k = 0; k < 2; k = k + 1) {")
            new = self.declare_class(depth, f"K{self.names}x") if self.functions <= 25 else None
            if new:
                kinds = self.scopes[-1].variables.pop(new)[1]
                self.emit(f"push({instances}, {new}({', '.join(DEFAULTS[k] for k in kinds)}));")
            self.emit("}")
        method = self.random.choice(list(METHODS))
        field = self.random.choice(list(FIELDS))
        extra = f"x{self.random.randrange(20)}"
        self.emit(f"for (var k = 0; k < len({instances}); k = k + 1) {{")
        self.emit(f"var each = {instances}[k];")
        self.emit(
            f"each.{extra} = k; if (k == 2) each.{field} = each.{field}; print each.{extra}; print "
            f"each.{field};")
        self.emit(f"print each.{method}({', '.join(DEFAULTS[k] for k in METHODS[method][0])});")
        self.emit(f"print each == {instances}[0];")
        self.emit("}")
        self.emit("}")

    def outgrow(self, depth):
        """More fields than instances of the class have had so far."""
        self.emit("{")
        self.emit(f"var wide = {self.expression('inst', 2)};")
        names = [f"x{i}" for i in range(self.random.randrange(3, 30))]
        self.random.shuffle(names)
        for name in names:
            self.emit(f"wide.{name} = {self.pick('1', 'wide', '[2]', chr(34) + name + chr(34))};")
        for name in self.random.sample(names, min(4, len(names))):
            self.emit(f"print wide.{name};")
        self.emit(f"print wide.m1({self.expression('num', 1)}); print wide.f0;")
        self.emit("}")

    def cycle(self, depth):
        self.emit('{ var ring = [1, nil, "r"]; ring[1] = ring; print ring; push(ring, [ring, '
                  'ring]); print ring; '
                  "var node = spare; ring[0] = node; print ring[1][1][0] == node; print pop(ring); "
                  "}")

    def chain(self, depth):
        self.emit("{ var which = " + self.expression("num", 2) + "; var said = nil;")
        for i in range(self.random.randrange(3, 30)):
            self.emit(
                f"{'if' if i == 0 else 'else if'} (which == {i}) said = "
                f"{self.pick(str(i), chr(34) * 2, 'nil')};")
        self.emit("else said = which; print said; }")

    def bind(self, depth):
        method = self.random.choice(list(METHODS))
        name = f"b{self.names}"
        self.names += 1
        self.emit(f"var {name} = {self.expression('inst', 2)}.{method};")
        self.scopes[-1].variables[name] = ("fun", *METHODS[method])

    def shadow_method(self, depth):
        method = self.random.choice(list(METHODS))
        kinds, result = METHODS[method]
        functions = self.visible(lambda k: k == ("fun", kinds, result))
        if functions:
            self.emit(f"{self.expression('inst', 1)}.{method} = {self.random.choice(functions)};")

    def pass_many(self, depth):
        count = self.pick(10, 60, 255)
        name = f"many{self.names}"
        self.names += 1
        self.emit(
            f"fun {name}({', '.join(f'q{i}' for i in range(count))}) {{ return q{count - 1} + "
            f"q{count // 2} + q0; }}")
        self.emit(f"print {name}({', '.join(self.expression('num', 1) for _ in range(count))});")

    def nest(self, depth):
        levels = self.random.randrange(5, 25)
        self.emit("print " + "(" * levels + self.expression("num", 1) + " + 1)" * levels + ";")
        self.emit("".join(f"{{ var n{i} = {i}; " for i in range(levels)) + \
                  f"print n0 + n{levels - 1};" + "}" * levels)

    def remake_class(self, depth):
        """A class declared again and again by one declaration, each time with another superclass
        and capture."""
        self.emit("{ var kept = []; for (var k = 0; k < 3; k = k + 1) { var mark = k; class Above "
                  "{ m1(p) { return mark; } "
                  "extra() { return k; } } class Made < Above { m0() { return super.m1(1) + mark; "
                  "} } push(kept, Made()); "
                  f"{self.pick('', 'mark = mark + 10;')} }}")
        self.emit(
            "for (var k = 0; k < 3; k = k + 1) { print kept[k].m0(); print kept[k].m1(1); print "
            "kept[k].extra(); } }")
