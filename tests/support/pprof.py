"""Reads allocation profiles in pprof's format (an uncompressed protocol buffer)."""
import collections
import pathlib

TYPES = [("alloc_objects", "count"), ("alloc_space", "bytes"), ("inuse_objects", "count"),
         ("inuse_space", "bytes")]
Call = collections.namedtuple("Call", "function file line")
Sample = collections.namedtuple("Sample", "values type survived calls")


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7f) << shift
        at += 1
        shift += 7
        if byte < 0x80:
            return value, at


def message(data):
    """The fields of a message: number to values, which are numbers or bytes."""
    fields, at = collections.defaultdict(list), 0
    while at < len(data):
        key, at = varint(data, at)
        value, at = varint(data, at)
        if key & 7 == 2:
            value, at = data[at:at + value], at + value
            assert at <= len(data), "a message is cut off"
        else:
            assert key & 7 == 0, f"wire type {key & 7}"
        fields[key >> 3].append(value)
    return fields


def numbers(parts):
    """Packed numbers."""
    values = []
    for data in parts:
        at = 0
        while at < len(data):
            value, at = varint(data, at)
            values.append(value)
    return values


def last(fields, number):
    return fields[number][-1] if fields[number] else 0


def read(path):
    """The samples of a profile."""
    profile = message(pathlib.Path(path).read_bytes())
    strings = [text.decode() for text in profile[6]]
    assert [tuple(strings[last(message(part), n)] for n in (1, 2))
            for part in profile[1]] == TYPES
    functions, places = {}, {0: Call("", "", 0)}
    for part in map(message, profile[5]):
        functions[last(part, 1)] = (strings[last(part, 2)], strings[last(part, 4)])
    for part in map(message, profile[4]):
        line = message(part[4][0]) if part[4] else None
        places[last(part, 1)] = (Call(*functions[last(line, 1)], last(line, 2)) if line
                                 else places[0])
    samples = []
    for part in map(message, profile[2]):
        labels = {strings[last(label, 1)]: label for label in map(message, part[3])}
        samples.append(Sample(numbers(part[2]), strings[last(labels["type"], 2)],
                              last(labels["survived"], 3),
                              [places[number] for number in numbers(part[1])]))
    return samples


def total(samples, value, **wanted):
    """The sum of a value (its name in TYPES) over samples with these members."""
    index = [name for name, _ in TYPES].index(value)
    return sum(sample.values[index] for sample in samples
               if all(getattr(sample, name) == is_ for name, is_ in wanted.items()))
