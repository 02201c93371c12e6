"""Programs of the build that tests run, which may be of another processor."""
import os
import shlex


def command_of(program):
    """Meson names what runs programs of another processor."""
    return [*shlex.split(os.environ.get("MESON_EXE_WRAPPER", "")), str(program)]
