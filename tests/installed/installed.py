"""An installation in a scratch folder, and programs built against it."""
import os
import pathlib
import re
import subprocess

STRESS = "stress=every-allocation,verify=full,poison=on,move=always,walk=differential"
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]


def run(command, **options):
    """The output of a command; its failure ends the test, with what it printed."""
    command = [str(word) for word in command]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, **options)
    if done.returncode != 0:
        raise SystemExit(f"exit status {done.returncode}: {' '.join(command)}\n{done.stdout}")
    return done.stdout


def require(condition, message):
    if not condition:
        raise SystemExit(message)


def require_moved(output, where):
    """The program computed what it should, and its objects moved."""
    require("the cards have 28 points" in output, f"{where}:\n{output}")
    moved = re.search(r"objects moved: (\d+)", output)
    require(moved and int(moved.group(1)) > 0, f"{where}: no object moved\n{output}")


class Installation:
    """What `meson install` puts below the prefix, moved into a scratch folder by DESTDIR."""

    def __init__(self, meson, build, prefix, libdir, scratch):
        self.scratch = pathlib.Path(scratch)
        self.root = self.scratch / "root"
        run([meson, "install", "-C", build, "--no-rebuild", "--destdir", self.root])
        self.configured = pathlib.Path(prefix)
        self.prefix = self.below(self.configured)
        self.libdir = self.prefix / libdir
        self.documents = self.prefix / "share/doc/statepoint-gc/docs"

    def below(self, path):
        return self.root / pathlib.Path(path).relative_to("/")

    def files(self):
        return sorted(path for path in self.root.rglob("*") if not path.is_dir())

    def pkg_config(self, *words, prefix=None):
        """The flags of the .pc files, as if the prefix were the scratch folder."""
        environment = dict(os.environ, PKG_CONFIG_PATH=str(self.libdir / "pkgconfig"))
        return run(["pkg-config", f"--define-variable=prefix={prefix or self.prefix}", *words],
                   env=environment).split()

    def environment(self, **more):
        return dict(os.environ, LD_LIBRARY_PATH=str(self.libdir), SPGC_OPTIONS=STRESS, **more)

    def run(self, *command):
        return run(command, env=self.environment())


def needed(program):
    """The shared libraries that a program names."""
    lines = run(["readelf", "-d", program]).splitlines()
    return [line.split("[")[1].rstrip("]") for line in lines if "(NEEDED)" in line]


def is_position_independent(program):
    return "DYN (" in run(["readelf", "-h", program])
