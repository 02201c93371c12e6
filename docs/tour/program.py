"""The program of docs/tour.md: compiled, linked, run, and watched by gdb; and its stack maps."""
import json
import os
import pathlib
import re
import struct
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
MODULES = ("cards", "scores")
SKIPPED = 77  # as Meson understands it
OPTIONS = "threads=1,concurrent=off,seed=1,limit=64m,nursery=64k"
HOSTILE = ("stress=every-allocation,verify=full,poison=on,move=always,walk=differential,"
           "seed=1,limit=64m")
# By DWARF's numbers: System V psABI for x86-64, figure 3.36.
REGISTERS = {3: "rbx", 6: "rbp", 7: "rsp", 12: "r12", 13: "r13", 14: "r14", 15: "r15"}
# Of version 3 of the section, which docs/stackwalk.md describes.
HEADER_BYTES, FUNCTION_BYTES, CONSTANT_BYTES = 16, 24, 8
RECORD_BYTES, LOCATION_BYTES, LIVE_OUT_BYTES = 16, 12, 4


def run(*command, **options):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                            timeout=500, check=False, **options)
    if result.returncode != 0:
        sys.exit(f"{command[0]} ended with {result.returncode}:\n"
                 f"{result.stdout[-3000:]}{result.stderr[-3000:]}")
    return result.stdout


def padded(size):
    return (size + 7) // 8 * 8


def place_of(location):
    return {"kind": location["kind"], "register": REGISTERS[location["reg"]],
            "offset": location.get("offset", 0)}


def calls_of(blob):
    """Of one module's stack map: (return address, what the record says)."""
    records = iter(blob["records"])
    for function in blob["functions"]:
        for record in (next(records) for _ in range(function["record_count"])):
            yield function["address"] + record["offset"], {
                "start": function["address"], "stack_size": function["stack_size"],
                "offset": record["offset"], "id": record["id"],
                "locations": len(record["locations"]),
                "pairs": [{part: place_of(pair[part]) for part in ("base", "derived")}
                          for pair in record["statepoint"]["pairs"]]}


def records_in(section):
    """(return address, bytes) of every record of the section."""
    at = 0
    while at < len(section):
        functions, constants = struct.unpack_from("<4xII", section, at)
        entries = [struct.unpack_from("<QQQ", section, at + HEADER_BYTES + FUNCTION_BYTES * i)
                   for i in range(functions)]
        at += HEADER_BYTES + FUNCTION_BYTES * functions + CONSTANT_BYTES * constants
        for start, _, count in entries:
            for _ in range(count):
                offset, locations = struct.unpack_from("<8xI2xH", section, at)
                live_outs_at = at + padded(RECORD_BYTES + LOCATION_BYTES * locations)
                live_outs, = struct.unpack_from("<2xH", section, live_outs_at)
                end = live_outs_at + padded(4 + LIVE_OUT_BYTES * live_outs)
                yield start + offset, section[at:end]
                at = end


class Program:
    """Made in a directory of its own. It is linked to fixed addresses: those in the file are those
    of the process."""

    def __init__(self, build, directory):
        self.build, self.directory = build, directory
        needed = ("tools/spgc-lower", "tools/spgc-stackmap", "gc/libspgc.so")
        if missing := [name for name in needed if not (build / name).exists()]:
            sys.exit(f"{build} has no {' '.join(missing)}: ninja -C {build} makes them")
        self.commands = []
        self.executable = self.link("tour", [self.lower(HERE / f"{name}.ll") for name in MODULES])
        self.how_made = [self.as_typed(command) for command in self.commands]
        self.lowered = {name: self.lower(HERE / f"{name}.ll", "--emit=lowered").read_text()
                        for name in MODULES}
        self.calls = self.read_calls()

    def run(self, *command):
        self.commands.append(command)
        run(*command)

    def lower(self, source, *options):
        output = self.directory / f"{source.stem}.{'lowered' if options else 'o'}"
        self.run(self.build / "tools" / "spgc-lower", "--polls=loops", *options, source, "-o",
                 output)
        return output

    def link(self, name, objects):
        output, library = self.directory / name, self.build / "gc"
        self.run("cc", "-g", "-O1", "-no-pie", f"-I{ROOT / 'include'}", HERE / "main.c", *objects,
                 f"-L{library}", "-l:libspgc.so", f"-Wl,-rpath,{library}", "-o", output)
        return output

    def as_typed(self, command):
        """In the root of the tree, with the usual build directory."""
        line = " ".join(map(str, command))
        for directory, name in ((self.directory, ""), (self.build, "build/"), (ROOT, "")):
            line = line.replace(f"{directory}/", name)
        return line

    def stackmap(self, *options):
        return run(self.build / "tools" / "spgc-stackmap", *options, self.executable)

    def read_calls(self):
        blobs = json.loads(self.stackmap("--json", "--statepoints"))["blobs"]
        return {address: call for blob in blobs for address, call in calls_of(blob)}

    def record_bytes(self, return_address):
        size, start = map(int, re.search(r"section of (\d+) bytes at byte (\d+)",
                                         self.stackmap()).groups())
        return dict(records_in(self.executable.read_bytes()[start:start + size]))[return_address]

    def run_hostile(self):
        """What it prints when everything moves at every allocation."""
        return run(self.executable, env={**os.environ, "SPGC_OPTIONS": HOSTILE})

    def run_without_statepoint(self):
        """How it ends when a frontend says that `collect` comes to no safepoint."""
        source, declaration = self.directory / "leaf.ll", "declare void @collect()"
        cards = (HERE / "cards.ll").read_text()
        source.write_text(cards.replace(declaration, declaration + ' "gc-leaf-function"'))
        objects = [self.lower(source), self.lower(HERE / "scores.ll")]
        result = subprocess.run([self.link("leaf", objects)], capture_output=True, text=True,
                                timeout=500, check=False)
        return result.returncode, result.stderr

    def observe(self, *gdb_settings):
        """What observe.py saw, and what the program printed."""
        calls, facts, output = (self.directory / name for name in ("calls", "facts", "output"))
        calls.write_text(json.dumps(self.calls))
        settings = ["set debuginfod enabled off", *gdb_settings]
        commands = ["set confirm off", "set pagination off", "set width 0",
                    f"source {ROOT / 'tools' / 'gdb' / 'spgc.py'}", "unset environment",
                    f"set environment SPGC_OPTIONS={OPTIONS}", f"source {HERE / 'observe.py'}"]
        words = ["gdb", "-q", "-nx", "-batch"]
        words += [word for setting in settings for word in ("-iex", setting)]
        words += [word for command in commands for word in ("-ex", command)]
        result = subprocess.run(
            [*words, self.executable], capture_output=True, text=True, timeout=900, check=False,
            cwd=self.directory, stdin=subprocess.DEVNULL,
            env={**os.environ, "SHELL": "/bin/sh", "TOUR_CALLS": str(calls),
                 "TOUR_FACTS": str(facts), "TOUR_OUTPUT": str(output)})
        if facts.exists():
            return json.loads(facts.read_text()), output.read_text()
        # Virtual machines may have no debug registers; then gdb looks after each instruction.
        if "hardware watchpoint" in result.stderr and not gdb_settings:
            return self.observe("set can-use-hw-watchpoints 0")
        if "the program ended before a change" in result.stderr and not self.watchpoints_trap():
            print("skipped: gdb sets hardware watchpoints, and this machine does not trap on them")
            sys.exit(SKIPPED)
        sys.exit("gdb did not come to the end:\n" + (result.stdout + result.stderr)[-3000:])

    def watchpoints_trap(self):
        """Some virtual machines have debug registers without an effect."""
        source, probe = self.directory / "probe.c", self.directory / "probe"
        source.write_text("volatile long word; int main(void) { word = 1; return 0; }")
        run("cc", "-g", source, "-o", probe)
        words = ["gdb", "-q", "-nx", "-batch", "-ex", "watch word", "-ex", "run", probe]
        done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
        return "New value = 1" in done.stdout
