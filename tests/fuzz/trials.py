"""How many things a generator makes."""
import itertools
import time


def add_arguments(parser, count):
    parser.add_argument("--count", type=int, default=count)
    parser.add_argument("--seconds", type=float)


def trials(arguments):
    """0, 1, …: as many as begin within --seconds, if they were given, and else --count."""
    if arguments.seconds is None:
        yield from range(arguments.count)
        return
    end = time.monotonic() + arguments.seconds
    for number in itertools.count():
        if number > 0 and time.monotonic() >= end:
            return
        yield number
