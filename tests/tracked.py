#!/usr/bin/env python3
"""The files of the tree: what the checks of the source read.

usage: tracked.py [PATTERN...]

Prints the files below the working directory, each with a zero byte; those that match a pattern, if
there are patterns.
"""
import fnmatch
import pathlib
import subprocess
import sys


def tracked(root):
    """Paths of the tree's files below `root`; those that git knows or would, where there is git."""
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z", "--cached", "--others",
                             "--exclude-standard"], capture_output=True, check=False)
    if listed.returncode == 0:
        names = {name for name in listed.stdout.decode().split("\0") if name}
    else:
        names = {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}
        names = {name for name in names if not name.startswith((".", "build"))}
    return [pathlib.PurePosixPath(name) for name in sorted(names) if (root / name).is_file()]


def text_of(path):
    """The text of a file; None of one that is no text."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text


def patterns_of(path):
    """Lines of a list in the tree; comments and blank lines aside."""
    lines = (line.strip() for line in path.read_text().splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def matches(name, patterns):
    """Whether a path matches one of `patterns`: `*` stands for anything, slashes too."""
    return any(fnmatch.fnmatchcase(str(name), pattern) for pattern in patterns)


def report(found, good):
    """Prints what was found, a line each, and exits with a failure; or prints that all is good."""
    for line in found:
        print(line)
    if found:
        raise SystemExit(1)
    print(good)


def main():
    for name in tracked(pathlib.Path.cwd()):
        if len(sys.argv) == 1 or matches(name, sys.argv[1:]):
            print(name, end="\0")


if __name__ == "__main__":
    main()
