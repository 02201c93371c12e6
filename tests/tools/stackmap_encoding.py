"""From what spgc-stackmap --json prints back to the bytes of a section, in any version and byte
order.

Format: https://llvm.org/docs/StackMaps.html#stack-map-format (version 3), and that page of LLVM 3.5
and 4.0.
"""
import struct

KINDS = {"Register": 1, "Direct": 2, "Indirect": 3, "Constant": 4, "ConstantIndex": 5}


def align(data):
    return data + bytes(-len(data) % 8)


def encode_location(location, version, order):
    field = {"Register": None, "Constant": "value",
        "ConstantIndex": "index"}.get(location["kind"], "offset")
    value = location[field] if field else 0
    size, reg = location["size"], location.get("reg", 0)
    number = struct.pack(order + ("I" if "index" in location else "i"), value)
    if version < 3:
        return struct.pack(order + "BBH", KINDS[location["kind"]], size, reg) + number
    return struct.pack(order + "BBHHH", KINDS[location["kind"]], 0, size, reg, 0) + number


def encode_record(record, version, order):
    locations, live_outs = record["locations"], record["live_outs"]
    head = struct.pack(order + "QIHH", record["id"],
                       record["offset"], record["flags"], len(locations))
    data = align(head + b"".join(encode_location(location, version, order)
                 for location in locations))
    data += struct.pack(order + "HH", 0, len(live_outs))
    return align(data + b"".join(struct.pack(order + "HBB", out["reg"], 0, out["size"])
        for out in live_outs))


def encode_blob(blob, version, order):
    data = struct.pack(order + "BBHIII", version, 0, 0, len(blob["functions"]),
        len(blob["constants"]),
                       len(blob["records"]))
    for function in blob["functions"]:
        data += struct.pack(order + "QQ", function["address"], function["stack_size"])
        if version > 1:
            data += struct.pack(order + "Q", function["record_count"])
    data += b"".join(struct.pack(order + "Q", constant) for constant in blob["constants"])
    return data + b"".join(encode_record(record, version, order) for record in blob["records"])


def as_version(blob, version):
    """What is printed of the blob when a version says it: version 1 has no record counts."""
    if version > 1:
        return blob | {"version": version}
    return blob | {"version": 1, "functions": [function | {"record_count": None}
        for function in blob["functions"]]}
