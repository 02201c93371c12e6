"""Time against the longest stall, each peer a dot, as SVG for the docs: a panel for each program
that measures stalls. Both axes are logarithmic; better is left and below."""
import math
from html import escape

import tables

WIDTH, HEIGHT = 960, 430
LEFT, TOP, BOTTOM, GAP, NAMES = 56, 56, 370, 34, 84  # NAMES: for those of the rightmost dots
NAME_WIDTH, NAME_HEIGHT = 5.6, 11  # of a letter, and of a line
FEWEST_TICKS = 3
OURS, OTHERS = "#b3261e", "#3b6ea5"


class Axis:
    """From values to places, with ticks at powers of ten and between them."""

    def __init__(self, values, start, end):
        self.least, self.most = math.log10(min(values) / 1.3), math.log10(max(values) * 1.3)
        self.start, self.end = start, end

    def place(self, value):
        part = (math.log10(value) - self.least) / (self.most - self.least)
        return self.start + part * (self.end - self.start)

    def ticks(self):
        powers = range(math.floor(self.least), math.ceil(self.most) + 1)
        for digits in (1, 2, 5), (1, 1.5, 2, 3, 4, 5, 7):
            ticks = [digit * 10.0 ** power for power in powers for digit in digits]
            seen = [tick for tick in ticks if self.least <= math.log10(tick) <= self.most]
            if len(seen) >= FEWEST_TICKS:
                break
        return seen


def dots_of(program):
    """Name, seconds and milliseconds of each peer, the slowest stalls first."""
    dots = [(name, tables.median(program, name, "seconds"),
             tables.median(program, name, "stall_ms"))
            for name, samples in program["peers"].items() if "stall_ms" in samples]
    return sorted(dots, key=lambda dot: -dot[2])


def overlap(one, other):
    return (abs(one[1] - other[1]) < NAME_HEIGHT and one[0] < other[0] + other[2]
            and other[0] < one[0] + one[2])


def names(dots):
    """Each beside its dot, or lower where a dot or another name is: x, y of the line."""
    placed = [(x - 5, y + 4, 10) for _, x, y in dots]
    for name, x, y in dots:
        box = (x + 7, y + 4, NAME_WIDTH * len(name))
        while any(overlap(box, other) for other in placed):
            box = (box[0], box[1] + 1, box[2])
        placed.append(box)
    return [box[:2] for box in placed[len(dots):]]


def text(x, y, words, **attributes):
    more = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in attributes.items())
    return f'  <text x="{x:.0f}" y="{y:.0f}"{more}>{escape(words)}</text>'


def grid(across, up, left, right):
    for tick in across.ticks():
        x = across.place(tick)
        yield f'  <path d="M{x:.0f} {TOP}V{BOTTOM}" stroke="#e3e8ee"/>'
        yield text(x, BOTTOM + 16, f"{tick:g}", text_anchor="middle", fill="#5b7083")
    for tick in up.ticks():
        y = up.place(tick)
        yield f'  <path d="M{left:.0f} {y:.0f}H{right:.0f}" stroke="#e3e8ee"/>'
        yield text(left - 5, y + 4, f"{tick:g}", text_anchor="end", fill="#5b7083")


def panel(name, program, left, right):
    dots = dots_of(program)
    across = Axis([seconds for _, seconds, _ in dots], left, right - NAMES)
    up = Axis([ms for _, _, ms in dots], BOTTOM, TOP)
    yield text(left, TOP - 10, name, font_weight="bold", font_size=14)
    yield from grid(across, up, left, right)
    places = [(peer, across.place(seconds), up.place(ms)) for peer, seconds, ms in dots]
    for (peer, x, y), (name_x, name_y) in zip(places, names(places)):
        colour = OURS if peer.startswith(tables.OURS) else OTHERS
        yield f'  <circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>'
        yield text(name_x, name_y, peer, fill=colour)


def svg(figures):
    panels = {name: program for name, program in tables.of_kind(figures, "workload").items()
              if dots_of(program)}
    width = (WIDTH - LEFT) / max(len(panels), 1)
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"',
             '     font-family="sans-serif" font-size="10.5" fill="#1c2733">',
             "  <title>Time against the longest stall</title>",
             f'  <rect width="{WIDTH}" height="{HEIGHT}" rx="8" fill="#ffffff"/>',
             text(LEFT, 24, "Longest stall (ms) against time (s); less is better", font_size=14)]
    for i, (name, program) in enumerate(panels.items()):
        left = LEFT + i * width
        lines += panel(name, program, left, left + width - GAP)
    return "\n".join([*lines, "</svg>"]) + "\n"
