"""Runs spgc-heap, for the tests of what it answers."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

from emulated import command_of
from heap_snapshot import Snapshot


def next_program():
    """The command of the program that the next argument names."""
    if len(sys.argv) < 2:
        sys.exit(sys.modules["__main__"].__doc__)
    return command_of(pathlib.Path(sys.argv.pop(1)).resolve())


TOOL = next_program()


class Tool(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="spgc-heap-")
        self.path = pathlib.Path(self.folder.name)
        self.file = self.path / "a.heapsnapshot"

    def tearDown(self):
        self.folder.cleanup()

    def run_tool(self, *words, **settings):
        return subprocess.run([*TOOL, *map(str, words)], capture_output=True, timeout=300,
                              stdin=subprocess.DEVNULL, check=False, **settings)

    def ask(self, *words):
        done = self.run_tool(*words)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return done.stdout.decode()

    def refused(self, path, fragment, command=("top",)):
        done = self.run_tool(*command, path)
        message = done.stderr.decode()
        self.assertEqual((done.returncode, done.stdout), (1, b""), message)
        self.assertTrue(message.startswith(f"spgc-heap: {path}: "), message)
        self.assertIn(fragment, message)
        self.assertEqual(message.count("\n"), 1)


def leak():
    """A thread holds a map of tables of entries, and a list; two objects are in both."""
    heap = Snapshot()
    thread = heap.add("thread 1", kind="synthetic")
    heap.link(0, 1, thread)
    cache = heap.add("Cache", 24)
    heap.link(thread, "main at leak.lox:12 (rbx)", cache)
    table = heap.add("Table", 48)
    heap.link(cache, "table", table)
    sessions = [heap.add("Session", 32) for _ in range(5)]
    for index, session in enumerate(sessions):
        heap.link(table, index, session)
    cell = None
    for depth in range(10):
        following = heap.add("Cell", 16)
        if cell is None:
            heap.link(thread, "main at leak.lox:14 (rsp+8)", following)
        else:
            heap.link(cell, "next", following)
        heap.link(following, "previous", cell if cell is not None else following)
        cell = following
    heap.link(cell, "value", sessions[0])
    heap.link(cell, "value", sessions[1])
    dropped = heap.add("Session", 32)
    heap.link(cache, "last", dropped, "weak")
    return heap
