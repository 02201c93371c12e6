"""Runs every program with every peer once, in a random order, before any runs a second time."""
import json
import os
import platform
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from peers import Failure

SAFEPOINT = re.compile(r"\bTotal: +(\d+) ns")
CALIBRATION = ("w1", "17")  # of the region: no collector, and always the same
MOST_SECONDS = 600  # of a run
JIFFIES = os.sysconf("SC_CLK_TCK")


def execute(words, environment):
    """What the command prints, and its times and memory."""
    start = time.perf_counter()
    inherited = {key: value for key, value in os.environ.items() if key != "SPGC_OPTIONS"}
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(["timeout", str(MOST_SECONDS), *words],
                                   env={**inherited, **environment}, stderr=errors,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            errors.seek(0)
            raise Failure(f"exit code {process.returncode}: {errors.read().strip()[-500:]}")
    return output, {"seconds": seconds, "cpu_seconds": usage.ru_utime + usage.ru_stime,
                    "user_seconds": usage.ru_utime,
                    "mib": usage.ru_maxrss / 1024}


def safepoints(scratch):
    """Pauses that Java logged, in milliseconds."""
    log = scratch / "safepoints"
    pauses = [int(ns) / 1e6 for ns in SAFEPOINT.findall(log.read_text())]
    log.unlink()
    return {"longest_pause_ms": max(pauses, default=0), "pauses_ms": sum(pauses)}


def run_workload(program, peer, scratch):
    output, metrics = execute(peer.words(program), peer.environment(program))
    checksum, statistics = output.splitlines()
    statistics = json.loads(statistics)
    if program.has_stalls:
        metrics["stall_ms"] = statistics["longest_stall_ms"]
    if peer.pauses == "statistics":
        metrics.update(longest_pause_ms=statistics["longest_pause_ms"],
                       pauses_ms=statistics["total_pause_ms"])
    if peer.pauses == "safepoints":
        metrics.update(safepoints(scratch))
    return checksum, metrics


def run_lox(program, peer):
    return execute(peer.words(program), peer.environment(program))


def run_vm(program, peer):
    """The user's time, which is the machine's and its collector's."""
    output, metrics = execute(peer.words(program), peer.environment(program))
    return output, {"user_seconds": metrics["user_seconds"], "mib": metrics["mib"]}


def run_walks(program, peer):
    """For each kind of stack: nanoseconds a frame."""
    output, _ = execute(peer.words(program), peer.environment(program))
    rows = [json.loads(line) for line in output.splitlines()]
    return {f"{row['addresses']:,} address{'es' if row['addresses'] > 1 else ''}, roots in "
            f"{row['roots']}": {name: row[name] for name in ("unwind_ns", "fast_ns",
                                                             "fast_roots_ns")}
            for row in rows if "addresses" in row}


class Samples:
    """What was measured, as it is written to the file."""

    def __init__(self):
        self.programs = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
        self.outputs = {}  # of each program, the same for all peers
        self.failures = {}
        self.calibration = []

    def add(self, program, peer, metrics):
        for name, value in metrics.items():
            self.programs[program][peer][name].append(round(value, 4))

    def run(self, program, peer, scratch):
        if program.kind == "walk":
            for stack, metrics in run_walks(program, peer).items():
                self.add(program.name, stack, metrics)
            return
        output, metrics = (run_workload(program, peer, scratch) if program.kind == "workload" else
                           {"lox": run_lox, "vm": run_vm}[program.kind](program, peer))
        expected = self.outputs.setdefault(program.name, output)
        if output != expected:
            raise Failure(f"prints {output[:200]!r}, another one {expected[:200]!r}")
        self.add(program.name, peer.name, metrics)


class Processors:
    """Who uses the processors meanwhile."""

    def __init__(self):
        self.start = time.perf_counter()
        self.busy, self.stolen = self.read()
        self.own = self.own_seconds()

    @staticmethod
    def read():
        user, nice, system, _, _, irq, softirq, steal = map(
            int, Path("/proc/stat").read_text().splitlines()[0].split()[1:9])
        return (user + nice + system + irq + softirq) / JIFFIES, steal / JIFFIES

    @staticmethod
    def own_seconds():
        usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        return sum(usage.ru_utime + usage.ru_stime for usage in usages)

    def shares(self):
        """Percent of all processors' time since the start."""
        whole = (time.perf_counter() - self.start) * os.cpu_count() / 100
        busy, stolen = self.read()
        others = busy - self.busy - (self.own_seconds() - self.own)
        return {"others_percent": round(max(0, others) / whole, 1),
                "stolen_percent": round((stolen - self.stolen) / whole, 1)}


def machine():
    model = next((line.split(":", 1)[1].strip()
                  for line in Path("/proc/cpuinfo").read_text().splitlines()
                  if line.startswith("model name")), platform.machine())
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {"processor": model, "processors": os.cpu_count(), "memory_gib": round(memory),
            "system": f"{platform.system()} {platform.release()}"}


def calibrate(build, samples):
    _, metrics = execute([str(build / "bench/spgc-workloads-region"), *CALIBRATION], {})
    samples.calibration.append(round(metrics["seconds"], 4))


def measure(programs, peers, rounds, build, scratch, samples):
    """Yields after each round, and says on standard error where it is."""
    for number in range(1, rounds + 1):
        for program in programs:
            calibrate(build, samples)
            runnable = [peer for peer in peers if peer.runs(program)
                        and (program.name, peer.name) not in samples.failures]
            for peer in random.sample(runnable, len(runnable)):
                print(f"{number}/{rounds} {program.name}: {peer.name}", file=sys.stderr,
                      flush=True)
                try:
                    samples.run(program, peer, scratch)
                except Failure as failure:
                    samples.failures[program.name, peer.name] = str(failure)
        yield number
