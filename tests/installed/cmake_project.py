"""The project of ./cmake against an installation: each target of the CMake package."""
import os
import pathlib
import shutil
import subprocess

from installed import STRESS, needed, require, require_moved, run

HERE = pathlib.Path(__file__).resolve().parent

# The project's libraries that each program needs; None: it is static and needs no library at all.
PROGRAMS = {
    "cards-spgc": ["libspgc.so.0"],
    "cards-spgc_static": [],
    "cards-spgc_static_program": None,
    "use-chain": ["libspgc.so.0"],
    "jit-llvm": ["libspgc-llvm.so.0", "libspgc.so.0"],
    "jit-llvm_static": [],
    "alone-stackwalk": ["libspgc-stackwalk.so.0"],
    "alone-stackwalk_static": [],
    "alone-stackwalk_static_program": None,
}


def check_libraries(program, expected):
    found = needed(program)
    if expected is None:
        require(not found, f"{program} is not static: it needs {found}")
        return
    ours = sorted(library for library in found if library.startswith("libspgc"))
    require(ours == sorted(expected), f"{program} needs {found}")
    unwinders = [one for one in found if one.startswith(("libgcc_s.", "libunwind."))]
    require(sorted(unwinders) == unwinders, f"libgcc comes too late for {program}: {found}")


def check_run(program, *arguments):
    """The programs find the libraries by the paths that CMake put into them."""
    output = run([program, *arguments], env=dict(os.environ, SPGC_OPTIONS=STRESS))
    if program.name.startswith("alone"):
        require("the object moved" in output, f"{program}:\n{output}")
    elif program.name == "use-chain":
        require("the chain's sum is 15150, two words\n" in output, f"{program}:\n{output}")
        require("objects moved: 0" not in output, f"{program}:\n{output}")
    else:
        require_moved(output, program)


def check_refusals(setup, folder):
    """Another series of releases is not taken, and wrong uses of the function are told."""
    for name, option, message in (
            ("later", "-DWANTED=0.99", "compatible with requested version"),
            ("source", "-DWRONG_SOURCE=ON", "module.txt is neither IR, bitcode, C nor C++"),
            ("target", "-DWRONG_TARGET=ON", "nothing is no target")):
        done = subprocess.run([*setup, "-B", folder / f"cmake-{name}", option],
                              capture_output=True, text=True, check=False)
        said = " ".join(done.stderr.split())
        require(done.returncode != 0 and message in said, f"CMake with {option}: {done.stderr}")


def check_dependencies(source, build):
    """The object is made again when a header changes that clang read."""
    require("no work to do" in run(["ninja", "-C", build, "-n"]), "CMake builds all again")
    header = source / "include/chain.h"
    header.write_text(header.read_text())
    later = (build / "build.ninja").stat().st_mtime + 3600
    os.utime(header, (later, later))
    planned = run(["ninja", "-C", build, "-n", "-v"])
    require("spgc-lower/chain/chain.c.o" in planned, f"chain.h is no dependency:\n{planned}")


def check(at, cmake, alone_object):
    source, build = at.scratch / "cmake", at.scratch / "cmake-build"
    shutil.copytree(HERE / "cmake", source)
    cards = at.documents / "tour/cards.ll"
    setup = [cmake, "-G", "Ninja", "-S", source, f"-DCMAKE_PREFIX_PATH={at.prefix}",
             f"-DMODULES={cards.parent}", f"-DJIT={HERE / 'jit.c'}",
             f"-DALONE={at.documents / 'stackwalk/alone.c'};{alone_object}"]
    check_refusals(setup, at.scratch)
    run([*setup, "-B", build, "-DWANTED=0.1"])
    run(["ninja", "-C", build])
    for name, libraries in PROGRAMS.items():
        check_libraries(build / name, libraries)
        check_run(build / name, *([cards] if name.startswith("jit") else []))
    check_dependencies(source, build)
