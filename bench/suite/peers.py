"""The implementations that ./dev bench compares: those that are there, and why others are not."""
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from programs import LOX_SOURCES

HERE = Path(__file__).resolve().parent
SOURCES = HERE.parent / "peers"
OURS = "statepoint-gc"
REGION = "region"
LIMITED = "{}, 3x"  # the heap has three times the most live bytes
LOX_JIT, LOX_AOT, LUA, LUAJIT = "Lox, JIT", "Lox, AOT", "Lua", "LuaJIT"
VM_WAYS = ("switch", "goto")
VM, VM_OWN = "{}, on the library", "{}, on mark-sweep"  # a way to dispatch
JAVA_COLLECTORS = ("Serial", "Parallel", "G1", "Z")


class Failure(Exception):
    pass


@dataclass(frozen=True)
class Peer:
    name: str
    kind: str  # of the programs that it runs
    words: Callable  # of a program: the command
    environment: Callable = lambda program: {}
    pauses: str = ""  # where they are told: statistics, safepoints
    only: tuple = ()  # programs, by the first argument; all

    def runs(self, program):
        return self.kind == program.kind and (not self.only or program.arguments[0] in self.only)


@dataclass
class Found:
    peers: list
    absent: dict  # name: what is missing
    versions: dict  # of what they are made with


def call(command, **more):
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, text=True,
                          capture_output=True, check=False, **more)
    if done.returncode != 0:
        raise Failure(f"{command[0]}: exit code {done.returncode}: {done.stderr.strip()[-2000:]}")
    return done.stdout + done.stderr


def version(*command):
    return call(command).strip().splitlines()[0].split("  Copyright")[0].split(" -- ")[0]


def workload(name, executable, **more):
    return Peer(name, "workload",
                lambda program: [str(executable), *program.arguments, "--stats"], **more)


def ours(build, found):
    executable = build / "bench/spgc-workloads"
    found.peers.append(workload(OURS, executable, pauses="statistics"))
    found.peers.append(workload(LIMITED.format(OURS), executable, pauses="statistics",
        environment=lambda program: {"SPGC_OPTIONS": f"limit={program.limit_mib}m"}))
    found.versions["C"] = version("cc", "--version")


def other_memory(build, found):
    """The same sources in C with other memory."""
    found.peers.append(workload(REGION, build / "bench/spgc-workloads-region",
                                only=("w1", "w1t", "w2")))
    found.peers.append(workload("malloc", build / "bench/spgc-workloads-malloc"))
    for name, package, pauses in (("mimalloc", "libmimalloc-dev", ""),
                                  ("Boehm", "libgc-dev", "statistics")):
        executable = build / f"bench/spgc-workloads-{name.lower()}"
        if executable.exists():
            found.peers.append(workload(name, executable, pauses=pauses))
        else:
            found.absent[name] = f"no {package} when the build was configured"


def ocaml(scratch, found):
    if shutil.which("ocamlopt") is None:
        found.absent["OCaml"] = "no ocamlopt (ocaml-nox)"
        return
    shutil.copy(SOURCES / "ocaml/workloads.ml", scratch)
    call(["ocamlopt", "-unsafe", "-inline", "100", "-I", "+unix", "unix.cmxa", "workloads.ml",
          "-o", "workloads-ocaml"], cwd=scratch)
    # A minor heap of 8 MiB, instead of 2: a million words.
    found.peers.append(workload("OCaml", scratch / "workloads-ocaml",
                                only=("w1", "w2", "w3", "w4", "live"),
                                environment=lambda program: {"OCAMLRUNPARAM": "s=1M"}))
    found.versions["OCaml"] = version("ocamlopt", "-version")


def go(scratch, found):
    if shutil.which("go") is None:
        found.absent["Go"] = "no go (golang-go)"
        return
    call(["go", "build", "-o", scratch / "workloads-go", *sorted((SOURCES / "go").glob("*.go"))],
         env={**os.environ, "GOCACHE": str(scratch / "go-cache"), "GO111MODULE": "off"})
    found.peers.append(workload("Go", scratch / "workloads-go", pauses="statistics",
                                only=("w1", "w1t", "w2", "w3", "w4", "live")))
    found.versions["Go"] = version("go", "version")


def java(scratch, found):
    if shutil.which("javac") is None:
        found.absent["Java"] = "no javac (default-jdk-headless)"
        return
    classes = scratch / "classes"
    call(["javac", "-d", classes, *sorted((SOURCES / "java").glob("*.java"))])

    def words(collector, program, limits):
        return ["java", f"-XX:+Use{collector}GC", f"-Xlog:safepoint:file={scratch}/safepoints",
                *limits, "-cp", str(classes), "Workloads", *program.arguments, "--stats"]

    for collector in JAVA_COLLECTORS:
        name = f"Java {collector}" + ("GC" if collector == "Z" else "")
        found.peers.append(Peer(name, "workload", pauses="safepoints",
            words=lambda program, collector=collector: words(collector, program, [])))
        if collector != "Z":  # which wants more
            found.peers.append(Peer(LIMITED.format(name), "workload", pauses="safepoints",
                words=lambda program, collector=collector: words(collector, program,
                                                           [f"-Xmx{program.limit_mib}m"])))
    found.versions["Java"] = version("java", "-version")


def lox(build, scratch, found):
    compiler = build / "frontend-demo/lox"

    def built(program):
        executable = scratch / f"lox-{program.name}"
        if not executable.exists():
            call([compiler, "build", LOX_SOURCES / f"{program.name}.lox", "-o", executable])
        return [str(executable), *program.arguments]

    def source(command, ending):
        return lambda program: [str(command), str(LOX_SOURCES / f"{program.name}.{ending}"),
                                *program.arguments]

    found.peers.append(Peer(LOX_JIT, "lox", source(compiler, "lox")))
    found.peers.append(Peer(LOX_AOT, "lox", built))
    for name, command in ((LUA, "lua5.4"), (LUAJIT, "luajit")):
        if shutil.which(command) is None:
            found.absent[name] = f"no {command}"
        else:
            found.peers.append(Peer(name, "lox", source(command, "lua")))
            found.versions[name] = version(command, "-v")


def virtual_machines(build, found):
    """The machine of examples/vm, and the same source on malloc with its own collector."""
    for way in VM_WAYS:
        for name, program in ((VM_OWN, f"spgc-vm-own-{way}"), (VM, f"spgc-vm-{way}")):
            found.peers.append(Peer(name.format(way), "vm", lambda one, program=program:
                                    [str(build / "bench/vm" / program), *one.arguments]))


def walk(build, found):
    found.peers.append(Peer("walks", "walk", lambda program: [str(build / "bench/spgc-walk"),
                                                              "--json", *program.arguments]))


def find(build, scratch, quick):
    """Those that there are, built in `scratch` where the build has not."""
    found = Found([], {}, {})
    ours(build, found)
    other_memory(build, found)
    ocaml(scratch, found)
    go(scratch, found)
    java(scratch, found)
    lox(build, scratch, found)
    virtual_machines(build, found)
    walk(build, found)
    if quick:
        found.peers = [peer for peer in found.peers if not peer.name.endswith(LIMITED.format(""))]
    return found


def limited(build, scratch):
    """Those whose heap can be limited, for --curve: each with the program's limit."""
    found = find(build, scratch, False)
    limits = {"Boehm": lambda program: {"GC_MAXIMUM_HEAP_SIZE": str(program.limit_mib << 20)},
              "Go": lambda program: {"GOGC": "off", "GOMEMLIMIT": f"{program.limit_mib}MiB"}}
    suffix = LIMITED.format("")
    found.peers = [replace(peer, name=peer.name.removesuffix(suffix)) for peer in found.peers
                   if peer.name.endswith(suffix)] + [
                   replace(peer, environment=limits[peer.name]) for peer in found.peers
                   if peer.name in limits]
    return found


def chart_js(build):
    """The library that the report of spgc-heap draws with, too."""
    options = json.loads((build / "meson-info/intro-buildoptions.json").read_text())
    return Path(next(one["value"] for one in options if one["name"] == "chart_js"))
