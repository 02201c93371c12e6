"""Markdown of what ./dev bench measured: each function answers lines of text.

A figure is a median, with the least and the greatest value in brackets.
"""
import statistics

from peers import LOX_AOT, LOX_JIT, LUA, LUAJIT, OURS, REGION, VM, VM_OWN, VM_WAYS
from programs import VM_ALLOCATION, VM_DISPATCH, VM_MIXED

METRICS = {"seconds": "Seconds elapsed", "cpu_seconds": "Processor seconds of all threads",
           "mib": "Peak resident MiB", "stall_ms": "Longest stall, ms",
           "longest_pause_ms": "Longest pause, ms", "pauses_ms": "All pauses together, ms"}
# Each: the aim, the program, the metric, the peers of which the quickest is the divisor (none: the
# metric itself), and the bound.
AIMS = (("W1-20 in 0.7 of Java Serial's time", "W1-20", "seconds", ("Java Serial",), 0.7),
        ("W1-20 within 2.2 times C with memory released as a region", "W1-20", "seconds",
         (REGION,), 2.2),
        ("W2 in 0.8 of the best of Java G1 and Serial", "W2", "seconds",
         ("Java G1", "Java Serial"), 0.8),
        ("W3 not slower than Java Parallel", "W3", "seconds", ("Java Parallel",), 1),
        ("W3 stalls for 20 ms at most", "W3", "stall_ms", (), 20),
        ("W4 not slower than malloc", "W4", "seconds", ("malloc",), 1),
        ("W4 stalls for 10 ms at most", "W4", "stall_ms", (), 10))
RATIOS = ((LUA, LOX_JIT), (LUA, LOX_AOT), (LUAJIT, LOX_JIT), (LUAJIT, LOX_AOT))


def number(value):
    """Three digits, or all before the point."""
    return f"{value:.3g}" if value < 999.5 else f"{value:.0f}"


def figure(values):
    if len(values) < 2:
        return number(values[0])
    return f"{number(statistics.median(values))} ({number(min(values))}–{number(max(values))})"


def row(cells):
    return "| " + " | ".join(cells) + " |"


def table(head, rows):
    yield row(head)
    yield row(["---"] + ["---:"] * (len(head) - 1))
    for cells in rows:
        yield row(cells)


def of_kind(figures, kind):
    return {name: program for name, program in figures["programs"].items()
            if program["kind"] == kind}


def peer_names(programs):
    """In the order of the first program, those that run others only last."""
    return list(dict.fromkeys(name for program in programs.values() for name in program["peers"]))


def metric_table(programs, metric):
    """A row for each peer, a column for each program; those of which someone has it."""
    has = {name: program for name, program in programs.items()
           if any(metric in peer for peer in program["peers"].values())}
    rows = []
    for peer in peer_names(has):
        samples = [program["peers"].get(peer, {}).get(metric) for program in has.values()]
        if any(samples):
            rows.append([peer, *(figure(one) if one else "–" for one in samples)])
    return table([METRICS[metric], *has], rows)


def workloads(figures):
    programs = of_kind(figures, "workload")
    has = {metric for program in programs.values() for samples in program["peers"].values()
           for metric in samples}
    for metric in filter(has.__contains__, METRICS):
        yield from metric_table(programs, metric)
        yield ""


def median(program, peer, metric):
    return statistics.median(program["peers"][peer][metric])


SUMMARY_PEERS = (OURS, "malloc", "Boehm", "Go", "Java G1")
SUMMARY = (("W1-20", "seconds"), ("W4", "seconds"), ("live", "seconds"), ("W4", "mib"),
           ("live", "mib"), ("W4", "stall_ms"), ("live", "stall_ms"))
UNITS = {"seconds": "s", "mib": "MiB", "stall_ms": "longest stall, ms"}


def summary(figures):
    """The medians that a reader looks for first."""
    programs = of_kind(figures, "workload")
    rows = [[peer, *(number(median(programs[name], peer, metric)) for name, metric in SUMMARY)]
            for peer in SUMMARY_PEERS]
    return table(["", *(f"{name}: {UNITS[metric]}" for name, metric in SUMMARY)], rows)


def reached(programs, name, metric, others, bound):
    """Whether an aim was, or nothing where it was not measured."""
    peers = programs.get(name, {"peers": {}})["peers"]
    others_there = [other for other in others if other in peers]
    if OURS not in peers or (others and not others_there):
        return None
    value = median(programs[name], OURS, metric)
    if others:
        value /= min(median(programs[name], other, metric) for other in others_there)
    return f"{'yes' if value <= bound else 'no'}: {number(value)}{'' if others else ' ms'}"


def aims(figures):
    rows = [[aim, reached(figures["programs"], *rest)] for aim, *rest in AIMS]
    return table(["aim", "reached"], [cells for cells in rows if cells[1]])


def lox(figures):
    programs = of_kind(figures, "lox")
    peers = [peer for peer in (LOX_JIT, LOX_AOT, LUA, LUAJIT) if peer in peer_names(programs)]
    pairs = [pair for pair in RATIOS if set(pair) <= set(peers)]
    complete = {name: program for name, program in programs.items()
                if set(peers) <= set(program["peers"])}
    ratios = {name: [median(program, other, "seconds") / median(program, one, "seconds")
                     for other, one in pairs] for name, program in complete.items()}
    rows = [[name, *(figure(program["peers"][peer]["seconds"]) for peer in peers),
             *map(number, ratios[name])] for name, program in complete.items()]
    if pairs and rows:
        rows.append(["geometric mean", *[""] * len(peers),
                     *(number(statistics.geometric_mean(column))
                       for column in zip(*ratios.values()))])
    return table(["Seconds elapsed", *peers, *(f"{other} : {one}" for other, one in pairs)], rows)


def virtual_machines(figures):
    """Ratios to the machine on its own collector."""
    programs = of_kind(figures, "vm")
    pairs = [(VM_OWN.format(way), VM.format(way)) for way in VM_WAYS]
    complete = {name.removeprefix("VM "): program for name, program in programs.items()
                if all(set(pair) <= set(program["peers"]) for pair in pairs)}
    ratios = {name: [median(program, ours, "user_seconds") / median(program, own, "user_seconds")
                     for own, ours in pairs] for name, program in complete.items()}
    rows = []
    for kind, names in (("dispatch", VM_DISPATCH), ("allocation", VM_ALLOCATION),
                        ("mixed", VM_MIXED)):
        there = [name for name in names if name in complete]
        for name in there:
            cells = [[figure(complete[name]["peers"][peer]["user_seconds"]) for peer in pair]
                     + [number(ratio)] for pair, ratio in zip(pairs, ratios[name])]
            rows.append([name, *cells[0], *cells[1]])
        if there:
            means = [number(statistics.geometric_mean(ratios[name][i] for name in there))
                     for i in range(len(pairs))]
            rows.append([f"{kind}: geometric mean", "", "", means[0], "", "", means[1]])
    return table(["Seconds of user time", *(cell for pair in pairs for cell in (*pair, "ratio"))],
                 rows)


def walks(figures):
    stacks = [stack for program in of_kind(figures, "walk").values()
              for stack in program["peers"].items()]
    columns = {"unwind_ns": "libunwind's `unw_step`", "fast_ns": "fast walk",
               "fast_roots_ns": "with roots read"}
    return table(["Nanoseconds a frame", *columns.values()],
                 [[name, *(figure(samples[metric]) for metric in columns)]
                  for name, samples in stacks])


def conditions(figures):
    """When and where, and how noisy it was there."""
    machine, noise = figures["machine"], figures["noise"]
    absent = "; ".join(f"{name} ({why})" for name, why in figures["absent"].items())
    yield (f"`{figures['command']}`, {figures['date']}: {machine['processor']}, "
           f"{machine['processors']} processors, {machine['memory_gib']} GiB, {machine['system']}. "
           f"Medians of {figures['rounds']} interleaved runs; in brackets the least and the "
           f"greatest.")
    yield ""
    if noise is None:
        yield "Noise: not recorded."
    else:
        yield (f"Noise: a program that always does the same took "
               f"{figure(noise['calibration_seconds'])} s between the others. Other work used "
               f"{noise['others_percent']} % of the processors meanwhile, the host "
               f"{noise['stolen_percent']} %.")
    yield ""
    yield "; ".join(f"{name}: {text}" for name, text in figures["versions"].items()) + "."
    yield ""
    yield f"Not there: {absent}." if absent else "Nothing was absent."


def report(figures):
    """The whole page."""
    yield "# Benchmarks"
    yield ""
    yield from conditions(figures)
    for failure in figures["failures"]:
        yield ""
        yield f"Failed: {failure['program']}, {failure['peer']}: {failure['message']}"
    sections = {"Workloads": (workloads, "workload"), "Aims": (aims, "workload"),
                "Lox": (lox, "lox"), "Virtual machine": (virtual_machines, "vm"),
                "Walks": (walks, "walk")}
    if figures["quick"]:
        del sections["Aims"]  # which are those of the standard sizes
    for title, (section, kind) in sections.items():
        if of_kind(figures, kind):
            yield from ("", f"## {title}", "", *section(figures))
