#!/usr/bin/env python3
"""Mutated IR through spgc-lower: it may refuse, and never crashes or emits what LLVM's verifier
rejects.

usage: mutate_ir.py SPGC_LOWER DIRECTORY [--count N | --seconds T] [--seed S] [--keep FOLDER]

Takes every .ll file below DIRECTORY, changes a few lines, and runs spgc-lower with an option of
each kind. A failure prints the seed of its mutation; --seed S --count 1 repeats it. --keep writes
failing inputs into a folder.
"""
import argparse
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import trials  # noqa: E402

TYPES = ["i1", "i8", "i32", "i64", "i128", "double", "float", "ptr", "ptr addrspace(1)",
    "<2 x i64>",
         "<4 x ptr addrspace(1)>", "{ ptr addrspace(1), i64 }", "[2 x ptr addrspace(1)]",
         "<1 x ptr addrspace(1)>", "<2 x ptr addrspace(1)>", "{ <2 x ptr addrspace(1)>, i64 }"]
CONVENTIONS = ["fastcc", "coldcc", "tailcc", "swiftcc",
    "swifttailcc", "preserve_mostcc", "cc 10", "cc 11", "cc 19"]
FUNCTION_ATTRIBUTES = ["alwaysinline", "noinline", "optnone noinline", "nounwind", "minsize",
    "naked", "noreturn",
                       "returns_twice", "willreturn", '"gc-leaf-function"', "memory(none)",
                       "uwtable", "strictfp"]
PARAMETER_ATTRIBUTES = ["inreg", "nonnull", "noalias", "nocapture", "swiftself", "swifterror",
    "returned", "nest",
                        "dereferenceable(16)", "align 64", "byval(i64)", "sret(i64)", "readonly",
                        "alignstack(8)"]
WORDS = ["null", "undef", "poison", "zeroinitializer", "0", "1", "-1", "4294967296", "true"]
OPERATIONS = ["add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "udiv"]
OPTIONS = [["-O0", "-O1", "-O2", "-O3"], ["--emit=obj", "--emit=asm", "--emit=lowered"],
           ["--polls=all", "--polls=loops"],
           ["--barriers=cards", "--barriers=none", "--barriers=none --load-barrier=current"],
           ["--gc=auto", "--gc=always", "--gc=never"],
           ["--cpu=x86-64-v2", "--cpu=skylake", "--cpu=skylake-avx512"]]
LOWERED, REFUSED, FOUND = 0, 1, 3  # statuses of spgc-lower
LONGEST = 300  # seconds; only a hang takes that long


def delete(lines, random):
    del lines[random.randrange(len(lines))]


def duplicate(lines, random):
    line = lines[random.randrange(len(lines))]
    renamed = re.sub(r"^(\s*)%([\w.]+) =", r"\1%\2.again =", line)
    lines.insert(random.randrange(len(lines)), renamed)


def swap(lines, random):
    first, second = random.randrange(len(lines)), random.randrange(len(lines))
    lines[first], lines[second] = lines[second], lines[first]


def substitute(pattern, choices):
    def change(lines, random):
        found = [i for i, line in enumerate(lines) if re.search(pattern, line)]
        if found:
            i = random.choice(found)
            match = random.choice(list(re.finditer(pattern, lines[i])))
            lines[i] = lines[i][:match.start()] + random.choice(choices) + lines[i][match.end():]
    return change


def operand(lines, random):
    """One value in place of another of the file."""
    values = re.findall(r"%[\w.]+", "\n".join(lines))
    if values:
        substitute(r"%[\w.]+", values + WORDS)(lines, random)


def type_everywhere(lines, random):
    """One type in place of another, throughout: more often valid than in one place."""
    old, new = random.sample(TYPES, 2)
    for i, line in enumerate(lines):
        lines[i] = re.sub(r"(?<![\w%@.<x] )" + re.escape(old) + r"(?![\w(])", new, line)


def convention_everywhere(lines, random):
    name, convention = random.choice(re.findall(
        r"@([\w.]+)\(", "\n".join(lines)) or ["f"]), random.choice(CONVENTIONS)
    for i, line in enumerate(lines):
        if "@" + name + "(" in line:
            lines[i] = re.sub(r"\b(call|invoke|define|declare)\b",
                              r"\1 " + convention, line, count=1)


def mark_tail(lines, random):
    found = [i for i, line in enumerate(lines) if re.search(r"= call|^\s*call", line)]
    if found:
        i = random.choice(found)
        lines[i] = lines[i].replace("call", random.choice(
            ["tail", "musttail", "notail"]) + " call", 1)


def widen(lines, random):
    """A load, store or allocation in another form."""
    substitute(r"\b(load|store)\b", ["load volatile",
               "store volatile", "load atomic", "store"])(lines, random)


def unreachable(lines, random):
    """A block that nothing reaches, with values that are computed from themselves."""
    ends = [i for i, line in enumerate(lines) if line == "}"]
    if not ends:
        return
    cycles = [
        ["%dead.a = getelementptr i8, SPACE %dead.a, i64 8"],
        ["%dead.a = getelementptr i8, SPACE %dead.b, i64 8", "%dead.b = freeze SPACE %dead.a"],
        ["%dead.a = select i1 true, SPACE %dead.b, SPACE null",
         "%dead.b = getelementptr i8, SPACE %dead.a, i64 16"],
    ]
    space = random.choice(["ptr", "ptr addrspace(1)"])
    block = ["dead.block:", *random.choice(cycles), "store i64 0, SPACE %dead.a",
             "%dead.n = ptrtoint SPACE %dead.a to i64", "br label %dead.block"]
    end = random.choice(ends)
    lines[end:end] = [line.replace("SPACE", space) for line in block]


def jump(lines, random):
    """Assembly that jumps in place of a call. LLVM crashes on results that fit no register."""
    found = [(i, match) for i, line in enumerate(lines)
             if (match := re.match(r"\s+(%[\w.]+) = call (i64|ptr addrspace\(1\)) @", line))]
    if found:
        i, match = random.choice(found)
        lines[i:i + 1] = [f'  {match[1]} = callbr {match[2]} asm "", "=r,!i"() "gc-leaf-function" '
                          f'to label %jump.on [label %jump.off]', "jump.off:", "  unreachable",
                          "jump.on:"]


def cast(lines, random):
    """A vector in place of a value, made of it or of numbers."""
    found = [(i, match) for i, line in enumerate(lines)
             if (match := re.match(r"\s+(%[\w.]+) = (load|call) ptr addrspace\(1\)", line))]
    if found:
        i, match = random.choice(found)
        lines[i] = lines[i].replace(match[1], match[1] + ".cast", 1)
        lanes, made = random.choice([
            (1, "bitcast ptr addrspace(1) OLD to VECTOR"),
            (2, "inttoptr <2 x i64> <i64 1, i64 3> to VECTOR"),
            (2, "extractvalue { VECTOR, i64 } %cast.structure, 0")])
        vector = f"<{lanes} x ptr addrspace(1)>"
        lines[i + 1:i + 1] = [
            f"  %cast.structure = load {{ {vector}, i64 }}, ptr addrspace(1) {match[1]}.cast",
            f"  %cast.made = {made}".replace("OLD", match[1] + ".cast").replace("VECTOR", vector),
            "  call void @cast.between()",
            f"  {match[1]} = extractelement {vector} %cast.made, i32 0"]
        lines.append("declare void @cast.between()")


MUTATIONS = [
    unreachable, jump, cast,
    delete, duplicate, swap, operand, operand, type_everywhere, convention_everywhere, mark_tail,
    widen,
    substitute(r"(?<= )(i64|i32|ptr addrspace\(1\)|ptr|double)(?=[ ,)])", TYPES),
    substitute(r"\) (?=.*gc \")", [") " + attribute + " " for attribute in FUNCTION_ATTRIBUTES]),
    substitute(r"ptr addrspace\(1\) (?=%)", [
               "ptr addrspace(1) " + attribute + " " for attribute in PARAMETER_ATTRIBUTES]),
    substitute(r"(?<= )(null|undef|poison|-?\d+)\b", WORDS),
    substitute(r"\b(%s)\b" % "|".join(OPERATIONS), OPERATIONS),
    substitute(r"gc \"[\w-]+\"", ["", 'gc "coreclr"', 'gc "hipe"']),
    substitute(r"\b(internal|weak|linkonce_odr|private)\b",
               ["", "internal", "weak", "linkonce_odr"]),
    substitute(r"\binbounds\b", ["", "inbounds", "nuw"]),
]


def mutate(text, random):
    lines = text.split("\n")
    for _ in range(random.choice([1, 1, 1, 2, 2, 3, 5])):
        if lines:
            random.choice(MUTATIONS)(lines, random)
    return "\n".join(lines)


def options(random):
    chosen = [word for choices in OPTIONS for word in random.choice(choices).split()]
    return [option for option in chosen if random.random() < 0.8]


def is_own(message):
    """Also behind what LLVM's reader says of a module whose debug information it verifies."""
    return any(re.match(r"spgc-lower: |\S.*: (error|warning): ", line)
               for line in message.splitlines())


def run(command):
    """What is wrong with it; None where it is refused or lowered."""
    try:
        result = subprocess.run(command, stdin=subprocess.DEVNULL,
                                capture_output=True, timeout=LONGEST, check=False)
    except subprocess.TimeoutExpired:
        return "it hangs", 0
    message = result.stderr.decode(errors="replace")
    if result.returncode not in (LOWERED, REFUSED, FOUND):
        return f"status {result.returncode}: {message[-400:]}", result.returncode
    if re.search(r" crashed \(SIG", message):
        return f"a crash: {message[-400:]}", result.returncode
    if result.returncode != LOWERED and not is_own(message):
        return f"no message of its own: {message[:400]}", result.returncode
    return None, result.returncode


def lint(lower, source, options, status):
    """What is wrong with the lint, of IR whose lowering ended with this status."""
    problem, found = run([lower, str(source), "--lint", *options])
    code = re.sub(r"(?m);.*|^(%[^=]*= type|declare) .*", "", source.read_text())
    allowed = (LOWERED,) if "addrspace(1)" in code else (LOWERED, FOUND)  # FOUND: no reference
    if problem is None and status == LOWERED and found not in allowed:
        problem = f"status {found}, but the module is lowered"
    return problem and f"--lint: {problem}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("lower")
    parser.add_argument("directory", type=pathlib.Path)
    trials.add_arguments(parser, 100)
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4), "little"))
    parser.add_argument("--keep", type=pathlib.Path)
    arguments = parser.parse_args()
    texts = [path.read_text() for path in sorted(arguments.directory.rglob("*.ll"))]
    print(f"seeds from {arguments.seed} on, {len(texts)} files", flush=True)
    count = failures = lowered = 0
    with tempfile.TemporaryDirectory() as scratch:
        source = pathlib.Path(scratch) / "mutated.ll"
        for seed in (arguments.seed + number for number in trials.trials(arguments)):
            count += 1
            chance = random.Random(seed)
            text = mutate(chance.choice(texts), chance)
            source.write_text(text)
            chosen = options(chance)
            command = [arguments.lower, str(source), "-o",
                       str(pathlib.Path(scratch) / "out"), *chosen]
            problem, status = run(command)
            lowered += status == LOWERED
            problem = problem or lint(arguments.lower, source, chosen, status)
            if problem is not None:
                failures += 1
                print(f"seed {seed}: {' '.join(command[4:])}: {problem}", flush=True)
                if arguments.keep is not None:
                    arguments.keep.mkdir(parents=True, exist_ok=True)
                    kept = arguments.keep / f"mutated-{seed}.ll"
                    kept.write_text(text)
                    print(f"kept as {kept}", flush=True)
    print(f"{count} mutations, {lowered} lowered, {failures} failures")
    sys.exit(failures != 0)


if __name__ == "__main__":
    main()
