"""The generated blocks of docs/tour.md: each function block_NAME makes the lines of block NAME."""
import re
import textwrap

from program import HERE
from run import require, same_place

WIDTH = 100
UNUSED = "not in use at this call"


def commented(code, comment, column=50):
    return f"{code:<{column}} ; {comment}"


def first(lines, pattern):
    return next(line for line in lines if re.search(pattern, line))


def described(place):
    """A location of the stack map in words."""
    name = place["register"].upper()
    if place["kind"] == "Register":
        return f"in register {name}"
    return f"in memory at {name} {'+-'[place['offset'] < 0]} {abs(place['offset'])}"


# Lowered IR.

def function_of(text, name):
    """The lines of its body."""
    body = re.search(rf"^define [^\n]*@{name}\((.*?)^}}", text, re.MULTILINE | re.DOTALL).group(1)
    return [line.strip() for line in body.splitlines() if line.startswith("  ")]


def simplified(line):
    """Without what the page does not explain: types of operands, attributes, constant arguments."""
    line = re.sub(r"\bptr(?: addrspace\(1\))? (?=[%@])", "", line)
    line = re.sub(r" \(i64, i32, ptr, i32, i32, \.\.\.\)| ?\btail\b| ?\bcoldcc\b", "", line)
    line = re.sub(r"@llvm\.experimental\.gc\.statepoint\.\w+\(.*?elementtype\([^@]*(@\w+), .*?\)"
                  r"(?= |$)", r"gc.statepoint(\1)", line)
    line = re.sub(r"@llvm\.experimental\.gc\.relocate\.\w+\(token (%\w+), i32 (\d+), i32 (\d+)\).*",
                  r"gc.relocate(\1, \2, \3)", line)
    line = re.sub(r"= call (?:token |ptr addrspace\(1\) )?gc\.", "= gc.", line)
    return re.sub(r", align \d+|, !prof !\d+| #\d+", "", line)


def without_inlining(line):
    """Values of inlined functions lose the mark of that."""
    return re.sub(r"(%[\w.]+?)(?:\.i)+\b", r"\1", line)


def wrapped(line):
    rows = [""]
    for part in re.split(r"(?<=, )", line):
        if len(rows[-1]) + len(part) > WIDTH - 2:
            rows.append(" " * 6)
        rows[-1] += part
    return [row.rstrip() for row in rows]


def block_cards(_):
    return (HERE / "cards.ll").read_text().splitlines()


def block_scores(_):
    return (HERE / "scores.ll").read_text().splitlines()


def block_allocation(run):
    lines = function_of(run.program.lowered["cards"], "deal")
    chosen = {"= load volatile": "the thread's cursor: the card begins here",
              "getelementptr i8, .* i64 16": "it ends here, and the next one begins",
              "icmp ugt": "beyond the limit: the slow path",
              "^store ptr addrspace": "the new cursor",
              "^store ptr @card": "the header of the card",
              "^store i64 %number": "its number"}
    return [commented(without_inlining(simplified(first(lines, pattern))), comment)
            for pattern, comment in chosen.items()]


def block_statepoint(run):
    lines = function_of(run.program.lowered["cards"], "play")
    head, live = re.match(r"(.*?) \[ (.*) \]", simplified(first(lines, "@collect"))).groups()
    token = re.match(r"%\w+", head).group()
    relocations = [line for line in lines if f"token {token}," in line]
    names = [re.match(r"%[a-z]+", name).group() for name in re.findall(r"%[\w.]+", live)]
    require(len(relocations) == len(names) == 7, "seven references are relocated")
    return [commented(head, "the call"),
            *wrapped(f"    [ {live} ]"),
            *(commented(simplified(line), f"where {name} is now", 60)
              for line, name in zip(relocations, names)),
            *wrapped(simplified(first(lines, "@points")))]


# Machine code, and the record of the call.

def steps_of_code(run):
    """(address, comment), as the page wants them."""
    code, end = run.play["code"], run.before["return_address"]
    register, slot = run.hero["register"], run.other
    spill = f"{slot['offset']:#x}" if slot["offset"] else ""
    spill += f"(%{slot['register']})"
    earlier = [line for line in code if line["address"] < end]
    later = [line for line in code if line["address"] >= end]
    return [(code[0]["address"], "play saves its caller's registers"),
            (first_text(earlier, f",%{register}$"), f"card {run.card(run.hero)} is in a register"),
            (first_text(earlier, f",{re.escape(spill)}$"), f"card {run.card(slot)} is in a slot"),
            (earlier[-1]["address"], "the call"),
            (later[0]["address"], "its return address"),
            (first_text(later, f" %{register},"), f"card {run.card(run.hero)} is an argument")]


def first_text(code, pattern):
    return next(line["address"] for line in code if re.search(pattern, line["text"]))


def block_assembly(run):
    comments = {}
    for address, comment in steps_of_code(run):
        comments.setdefault(address, []).append(comment)
    rows, gap = [], False
    for line in run.play["code"]:
        found = comments.get(line["address"], [])
        if found:
            rows += ["  …"] * gap
            rows.append(commented(f"{line['address']:#x}  {line['text']}", found[0]))
            rows += [commented("", comment) for comment in found[1:]]
        gap = not found
    return rows


def block_record(run):
    address = run.before["return_address"]
    call, record = run.program.calls[address], run.program.record_bytes(address)

    def row(start, size, meaning):
        return f"{start:>5}  {record[start:start + size].hex(' '):<37} {meaning}"

    rows = [row(0, 8, f"identifier {call['id']}"),
            row(8, 4, f"instruction offset {call['offset']}"),
            row(12, 2, "reserved"),
            row(14, 2, f"number of locations {call['locations']}"),
            row(16, 12, "constant: calling convention 0"),
            row(28, 12, "constant: flags 0"),
            row(40, 12, "constant: number of deopt values 0")]
    gap = False
    for index, pair in enumerate(call["pairs"]):
        shown = any(same_place(pair["base"], base) for base in (run.hero, run.other))
        if shown:
            rows += ["    …"] * gap
            rows += [row(52 + 24 * index + 12 * part, 12,
                         f"pair {index}, {name}: {described(pair[name])}")
                     for part, name in enumerate(("base", "derived"))]
        gap = not shown
    rows += ["    …"] * gap
    return [*rows, "",
            f"start of play {call['start']:#x} + {call['offset']} = return address {address:#x}",
            f"size of play's frame: {call['stack_size']} bytes"]


# The suspended stack.

def block_roots(run):
    return ["(gdb) frame 1", "(gdb) spgc roots", *run.play["roots"].splitlines()]


def meaning_of(run, address):
    """Of a word of play's frame, or around it."""
    stack = run.play["stack"]
    pushed = {place: name for name, place in stack["saved"].items()}
    if pushed.get(address) == "rip":
        return f"return address of play, into {stack['caller']}"
    if address in pushed:
        return f"{pushed[address].upper()} of {stack['caller']}, saved by play"
    if address == run.other["address"]:
        place = described(run.other).removeprefix("in memory ")
        return f"card {run.card(run.other)}: the slot {place}"
    if address < run.before["stack_pointer"]:
        return "return address of collect, into play"
    return UNUSED


def block_frame(run):
    """High addresses first."""
    words = {int(address): word for address, word in run.play["stack"]["words"].items()}
    pointer, saved = run.before["stack_pointer"], run.saved
    indent, line = " " * len(hex(pointer)), "─" * 20

    def row(address, word, meaning):
        contents = "" if meaning == UNUSED else f"{word:#018x}"
        return f"{address:#x} │ {contents:<18} │ {meaning}"

    rows = [f"{indent} ┌{line}┐ high addresses"]
    for address in sorted(words, reverse=True):
        if address < pointer:
            rows.append(f"{indent} ├{line}┤ RSP of play is {pointer:#x}")
        rows.append(row(address, words[address], meaning_of(run, address)))
    ellipsis = f"{indent} │ {'…':<18} │"
    hero = f"card {run.card(run.hero)}: {run.hero['register'].upper()} of play"
    return [*rows, f"{indent} ├{line}┤ frames of C functions: collect, and what it calls", ellipsis,
            row(saved["address"], saved["value"], f"{hero}, saved by {saved['function']}"),
            ellipsis, f"{indent} └{line}┘ low addresses"]


def block_walk(run):
    """From the frame that saved the register to main."""
    frames = [frame for frame in run.changes["header"]["backtrace"] if not frame["inlined"]]
    names = [frame["function"] for frame in frames]
    frames = frames[names.index(run.saved["function"]):names.index("main") + 1]
    rows = [f"{'frame of':<20} {'goes on at':<18} is that in the table?"]
    for frame in frames:
        answer = "no: C, stepped out of by its unwind tables"
        if frame["pc"] in run.program.calls:
            pairs = run.before["pairs"]
            registers = sum(pair["base"]["kind"] == "Register" for pair in pairs)
            slots = len(pairs) - registers
            answer = f"yes: references in registers: {registers}, in slots: {slots}"
        rows.append(f"{frame['function']:<20} {frame['pc']:<#18x} {answer}")
    return rows


# The collection.

def chain(change):
    """Functions, innermost first, as far as the call that began the collection."""
    for frame in change["backtrace"]:
        yield f"    {frame['function']:<34} {frame['file']}".rstrip()
        if frame["function"] == "spgc_collect":
            return


def block_forwarding(run):
    change, old, left = run.changes["header"], run.play["object_before"], run.play["object_left"]
    return [f"{'':<20} {'before':<18} after",
            f"{old['address']:#x} + 0   {change['old']:<#18x} {change['new']:#x}",
            f"{old['address']:#x} + 8   {old['words'][1]:<#18x} {left['words'][1]:#x}", "",
            f"{change['old']:#x} is the descriptor of {old['symbol']}. The header is written by:",
            *chain(change)]


def block_rewrite(run):
    names = {"register": f"{run.hero['register'].upper()} of play, saved", "slot": "slot of play"}
    rows = [f"{'':<20} {'at':<16} {'before':<16} after"]
    for what, name in names.items():
        change = run.changes[what]
        rows.append(f"{name:<20} {change['address']:#x}   {change['old']:#x}   {change['new']:#x}")
    writers = list(chain(run.changes["register"]))[:4]
    return [*rows, "", "The saved register is written by:", *writers, "    …"]


def moves(pairs):
    """Rows of (before, after)."""
    yield f"{'':<8} {'where':<26} {'before the call':<18} after it"
    for label, before, after in pairs:
        yield (f"{label:<8} {described(before):<26} {before['value']:<#18x} {after['value']:#x}")


def block_resumed(run):
    pairs = sorted(run.before["pairs"], key=lambda pair: run.card(pair["base"]))
    return list(moves((f"card {run.card(pair['base'])}", pair["base"], run.later(pair)["base"])
                      for pair in pairs))


def block_derived(run):
    before, after = run.cursor
    old = {part: before[part]["value"] for part in before}
    new = {part: after[part]["value"] for part in after}
    return [*moves((part, before[part], after[part]) for part in ("base", "derived")), "",
            f"{new['base']:#x} + ({old['derived']:#x} - {old['base']:#x}) = {new['derived']:#x}"]


def block_commands(run):
    rows = []
    for command in [*run.program.how_made, "gdb -x tools/gdb/spgc.py tour"]:
        *rest, last = textwrap.wrap(command, WIDTH - 2, break_on_hyphens=False,
                                    subsequent_indent="    ")
        rows += [f"{row} \\" for row in rest] + [last]
    return rows


def block_message(run):
    return [re.search(r"return address .*", run.message).group()]


def block_output(run):
    return run.output.splitlines()


def of(run):
    """{name: lines} of all blocks."""
    made = {name.removeprefix("block_"): make(run) for name, make in globals().items()
            if name.startswith("block_")}
    for name, lines in made.items():
        wide = [line for line in lines if len(line) > WIDTH]
        require(not wide, f"block {name} is wider than {WIDTH} columns:", *wide)
    return made
