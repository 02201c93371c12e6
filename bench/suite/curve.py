"""Time against memory, as SVG: a panel for each program, a line for each peer. A point is missing
where the peer ran out of memory or did not end. Both axes are logarithmic; better is below."""
import itertools

import tables
from chart import BOTTOM, GAP, HEIGHT, LEFT, NAMES, OTHERS, OURS, TOP, WIDTH, Axis, grid, text


def lines_of(figures):
    """For each program and peer, its points: times the live bytes, and seconds."""
    lines = {}
    for name, program in tables.of_kind(figures, "workload").items():
        workload, times = name.rsplit(" ", 1)
        for peer in program["peers"]:
            point = float(times.removesuffix("x")), tables.median(program, peer, "seconds")
            lines.setdefault(workload, {}).setdefault(peer, []).append(point)
    return lines


def name_places(ends):
    """Where the names of lines are, from the lowest up, none over another."""
    places, last = {}, HEIGHT
    for peer, y in sorted(ends.items(), key=lambda end: -end[1]):
        places[peer] = last = min(y + 4, last - 11)
    return places


def panel(workload, lines, left, right):
    points = list(itertools.chain(*lines.values()))
    across = Axis([times for times, _ in points], left, right - NAMES)
    up = Axis([seconds for _, seconds in points], BOTTOM, TOP)
    yield text(left, TOP - 10, workload, font_weight="bold", font_size=14)
    yield from grid(across, up, left, right)
    named = name_places({peer: up.place(line[-1][1]) for peer, line in lines.items()})
    for peer, line in lines.items():
        ours = peer.startswith(tables.OURS)
        colour = OURS if ours else OTHERS
        path = " ".join(f"{across.place(times):.1f},{up.place(seconds):.1f}"
                        for times, seconds in line)
        yield (f'  <polyline points="{path}"\n'
               f'    fill="none" stroke="{colour}" stroke-width="{2.5 if ours else 1}"/>')
        yield text(across.place(line[-1][0]) + 7, named[peer], peer, fill=colour)


def svg(figures):
    lines = lines_of(figures)
    width = (WIDTH - LEFT) / max(len(lines), 1)
    drawn = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"',
             '     font-family="sans-serif" font-size="10.5" fill="#1c2733">',
             "  <title>Time against memory</title>",
             f'  <rect width="{WIDTH}" height="{HEIGHT}" rx="8" fill="#ffffff"/>',
             text(LEFT, 24, "Seconds, by heap size in live bytes",
                  font_size=14)]
    for i, (workload, of_workload) in enumerate(lines.items()):
        left = LEFT + i * width
        drawn += panel(workload, of_workload, left, left + width - GAP)
    return "\n".join([*drawn, "</svg>"]) + "\n"
