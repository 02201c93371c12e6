"""Runs lox, for the tests of what it answers."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

LOX = (pathlib.Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1
       else sys.exit(sys.modules["__main__"].__doc__))
HANG_SECONDS = 240


class Driver(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="lox-driver-")
        self.path = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def file(self, name, content):
        path = self.path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def lox(self, *arguments, text="", **environment):
        return subprocess.run([LOX, *map(str, arguments)], input=text.encode(), capture_output=True,
            timeout=120,
                              env={**os.environ, **environment}, check=False)

    def expect(self, result, code, output="", error=""):
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertEqual(result.stdout.decode(), output)
        self.assertIn(error, result.stderr.decode())
        if not error:
            self.assertEqual(result.stderr.decode(), "")
