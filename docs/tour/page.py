"""docs/tour.md: its generated blocks, rewritten or compared with those of a run.

Another version of a compiler chooses other instructions, registers and addresses. So the comparison
is of shapes: lines without what may differ. What is left are the steps, the fields of the record,
the comments, and the words of every row. Rows of the same shape that follow each other count once:
run.py has checked how many references there are, and that each was rewritten.
"""
import difflib
import re

from program import ROOT
from run import require

FENCE = re.compile(r"^<!-- tour: (\w+) -->\n(```\w*\n)(.*?)^```$", re.MULTILINE | re.DOTALL)
COPIED = ("cards", "scores")
FUNCTION = re.compile(r"    (\w+) +(\w+\.[chS])")
REGISTER = r"\$?\b(?:r[bs][xp]|r1[2-5]|R[BS][XP]|R1[2-5])\b"
# Applied in turn.
CHOICES = [
    (r"^.* ; ", ""), # what is said of an instruction remains
    (r"^ *\d+  ((?:[0-9a-f]{2} )+) *(?=\w)", lambda match: f"{len(match[1].split())} bytes: "),
    (r"0x[0-9a-f]+", "ADDRESS"),
    (rf"in register {REGISTER}|(?:in memory )?at {REGISTER} [+-] \d+", "in a PLACE"),
    (rf"{REGISTER}(?:[+-]\d+)?", "REGISTER"),
    (r"saved by spgc_\w+", "saved by the collector"),
    (r"^\w+ +(ADDRESS +no: C)", r"FUNCTION \1"),
    (r"%[\w.]+", "%VALUE"),
    (r"\b\d+\b", "N"),
    (r"\s+", " "),
]


def shape_of_line(line):
    if FUNCTION.fullmatch(line):
        return "functions"
    for pattern, replacement in CHOICES:
        line = re.sub(pattern, replacement, line)
    return line.strip()


def shape(lines):
    result = []
    for line in map(shape_of_line, lines):
        left_out = line == "…" or line.endswith("not in use at this call")
        if not left_out and result[-1:] != [line]:
            result.append(line)
    return result


def check_functions(lines):
    """Functions that the page names are in the files that it names."""
    for function, file in (match.groups() for match in map(FUNCTION.fullmatch, lines) if match):
        sources = [path for room in ("gc", "heap", "stackwalk", "support")
                   for path in (ROOT / room).rglob(file)]
        require(any(re.search(rf"\b{function}\b", path.read_text()) for path in sources),
                f"no function {function} in a file {file}. Run docs/tour/make.")


def difference(page, seen):
    return "\n".join(difflib.unified_diff(page, seen, "docs/tour.md", "this run", lineterm=""))


def compare(text, blocks):
    page = {name: body.splitlines() for name, _, body in FENCE.findall(text)}
    require(sorted(page) == sorted(blocks), "its blocks are", sorted(page), "not", sorted(blocks))
    for name, lines in page.items():
        seen = blocks[name]
        if name not in COPIED:
            check_functions(lines)
            lines, seen = shape(lines), shape(seen)
        require(lines == seen, f"block {name} differs:\n" + difference(lines, seen) +
                "\nIf that is meant, run docs/tour/make, and read what stands around the block.")


def rewritten(text, blocks):
    def block(match):
        name, fence, _ = match.groups()
        return "\n".join([f"<!-- tour: {name} -->", fence.rstrip("\n"), *blocks[name], "```"])

    return FENCE.sub(block, text)
