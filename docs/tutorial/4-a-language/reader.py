"""Reads the source of Nib."""
import re
import sys

TOKEN = re.compile(r'\s+|;.*|([()]|"[^"]*"|[^\s()";]+)')


def check(condition, message):
    if not condition:
        sys.exit(f"nib: {message}")


class Text:
    """A text in a program. A str is a name."""

    def __init__(self, text):
        self.bytes = text.encode()


def read(source):
    """The forms of a program: integers, texts, names, and lists of forms."""
    lists = [[]]
    for token in filter(None, TOKEN.findall(source)):
        if token == "(":
            lists.append([])
        elif token == ")":
            check(len(lists) > 1, "a ) too many")
            closed = lists.pop()
            lists[-1].append(closed)
        elif token[0] == '"':
            lists[-1].append(Text(token[1:-1]))
        else:
            lists[-1].append(int(token) if re.fullmatch(r"-?\d+", token) else token)
    check(len(lists) == 1, "a ( too many")
    return lists[0]
