#!/usr/bin/env python3
"""Writes C source that holds text files as constants: embed.py OUT NAME=FILE..."""

import sys


def literal(line):
    escaped = line.replace("\\", "\\\\").replace('"', '\\"')
    return '    "%s\\n"' % escaped


def main():
    out, *entries = sys.argv[1:]
    with open(out, "w") as source:
        for entry in entries:
            name, path = entry.split("=", 1)
            with open(path) as text:
                lines = [literal(line.rstrip("\n")) for line in text]
            source.write("extern const char %s[];\nconst char %s[] =\n%s;\n" %
                         (name, name, "\n".join(lines)))


main()
