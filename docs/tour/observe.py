"""Watches the program of docs/tour.md from inside gdb: docs/tour/make starts it.

It reads from the file $TOUR_CALLS which references the stack maps list at each return address, and
writes what it sees to the file $TOUR_FACTS. It stops at the program's own functions and at memory
that changes, so that it needs no name from inside the collector.
"""
import json
import os
import re
import struct

import gdb

WORD = 8
COLLECT = "main.c:collect"
CALLEE_SAVED = ("rbx", "rbp", "r12", "r13", "r14", "r15")


def word_at(address):
    data = gdb.selected_inferior().read_memory(address, WORD)
    return struct.unpack("<Q", bytes(data))[0]


def register(frame, name):
    return int(frame.read_register(name)) % 2**64


def symbol_at(address):
    text = gdb.execute(f"info symbol {address:#x}", to_string=True)
    return text.split(" in section")[0].strip()


def resume():
    """Goes on to the next stop. Returns the numbers of the breakpoints that it stopped at."""
    stops = []

    def note(event):
        stops.extend(place.number for place in getattr(event, "breakpoints", []))

    gdb.events.stop.connect(note)
    gdb.execute("continue", to_string=True)
    gdb.events.stop.disconnect(note)
    return stops


def resume_until(what):
    """As resume(), but the program must not end before that."""
    stops = resume()
    if gdb.selected_inferior().pid == 0:
        raise gdb.GdbError(f"the program ended before {what}")
    return stops


def run_to(place):
    breakpoint = gdb.Breakpoint(place)
    while breakpoint.number not in resume_until(f"it came to {place}"):
        pass
    breakpoint.delete()


def frames():
    frame = gdb.newest_frame()
    while frame is not None:
        yield frame
        frame = frame.older()


def saved_by(frame):
    """Where the frame keeps what it found in its caller's registers: {"rbx": address, ...}."""
    frame.select()
    text = gdb.execute("info frame", to_string=True).partition("Saved registers:")[2]
    return {name: int(address, 16) for name, address in re.findall(r"(\w+) at (0x[0-9a-f]+)", text)}


def file_of(frame):
    table = frame.find_sal().symtab
    return os.path.basename(table.filename) if table else ""


def backtrace():
    """Every function from the innermost one out, inlined ones included."""
    return [{"function": frame.name() or "?", "file": file_of(frame), "pc": frame.pc(),
             "inlined": frame.type() == gdb.INLINE_FRAME} for frame in frames()]


def address_of(place, frame):
    """Of a reference that the stack map calls Indirect."""
    return (register(frame, place["register"]) + place["offset"]) % 2**64


def value_of(place, frame):
    if place["kind"] == "Register":
        return register(frame, place["register"])
    return word_at(address_of(place, frame))


def show(place, frame):
    """The place, and what is in it: `number` is the second word of the object."""
    value = value_of(place, frame)
    address = address_of(place, frame) if place["kind"] == "Indirect" else None
    return {**place, "value": value, "address": address, "number": word_at(value + WORD)}


def instructions(start, end):
    lines = gdb.newest_frame().architecture().disassemble(start, end)
    return [{"address": line["addr"], "text": re.sub(r"\s+", " ", line["asm"]).strip()}
            for line in lines]


def object_at(address, words):
    header = word_at(address)
    return {"address": address, "header": header, "symbol": symbol_at(header),
            "words": [word_at(address + WORD * i) for i in range(words)]}


def managed(frame, calls):
    """The frame of generated code whose call is suspended."""
    call = calls[str(frame.pc())]
    return {"function": frame.name(), "return_address": frame.pc(), "start": call["start"],
            "stack_pointer": register(frame, "rsp"),
            "pairs": [{part: show(pair[part], frame) for part in ("base", "derived")}
                      for pair in call["pairs"]]}


def stack_of(frame):
    """What lies where in the frame of generated code, and on the stack around it."""
    saved = saved_by(frame)
    low, high = register(frame, "rsp") - WORD, saved["rip"]
    words = {address: word_at(address) for address in range(low, high + WORD, WORD)}
    return {"saved": saved, "words": words, "caller": frame.older().name()}


def places_of_registers(name):
    """For each callee-saved register of that function: which frame further in saved it, where."""
    places = {}
    for frame in frames():
        if frame.name() == name:
            break
        if frame.type() == gdb.INLINE_FRAME:
            continue
        for register_name, address in saved_by(frame).items():
            if register_name in CALLEE_SAVED:
                places[register_name] = {"address": address, "function": frame.name(),
                                         "value": word_at(address)}
    gdb.newest_frame().select()
    return places


def watch(address):
    return gdb.Breakpoint(f"*(unsigned long *){address:#x}", gdb.BP_WATCHPOINT, gdb.WP_WRITE)


def run_to_change(watched):
    """Until one of these changes, which is then no longer watched."""
    old = {name: word_at(address) for name, (address, _) in watched.items()}
    while True:
        resume_until(f"a change of the {' and the '.join(watched)}")
        for name, (address, watchpoint) in watched.items():
            if word_at(address) != old[name]:
                watchpoint.delete()
                del watched[name]
                return {"what": name, "address": address, "old": old[name], "new": word_at(address),
                        "backtrace": backtrace()}


def watch_collection(facts, play):
    """Where the hero's register is saved is known once the stack is suspended."""
    hero, other = facts["hero"], facts["other"]
    watched = {"header": (hero["value"], watch(hero["value"])),
               "slot": (other["address"], watch(other["address"]))}
    changes = []
    while watched:
        changes.append(run_to_change(watched))
        if changes[-1]["what"] == "header":
            places = facts["places"] = places_of_registers(play["function"])
            place = places[hero["register"]]["address"]
            watched["register"] = place, watch(place)
    facts["changes"] = changes


def choose(play):
    """The hero is a reference in a register, RBX if it can be; the other one is in a slot."""
    bases = sorted((pair["base"] for pair in play["pairs"]),
                   key=lambda base: (base["register"] != "rbx", base["number"]))
    hero = next(base for base in bases if base["kind"] == "Register")
    other = next(base for base in bases if base["kind"] == "Indirect")
    return hero, other


def observe_play(calls):
    facts = {}
    gdb.execute(f"tbreak {COLLECT}", to_string=True)
    gdb.execute("run > " + os.environ["TOUR_OUTPUT"], to_string=True)
    frame = gdb.newest_frame().older()
    before = facts["before"] = managed(frame, calls)
    facts["stack"] = stack_of(frame)
    facts["code"] = instructions(before["start"], before["return_address"] + 80)
    hero, other = facts["hero"], facts["other"] = choose(before)
    facts["object_before"] = object_at(hero["value"], 2)
    frame.select()
    facts["roots"] = gdb.execute("spgc roots", to_string=True)
    gdb.newest_frame().select()
    watch_collection(facts, before)
    run_to(f"*{before['return_address']:#x}")
    frame = gdb.newest_frame()
    facts["after"] = managed(frame, calls)
    facts["object_left"] = object_at(hero["value"], 2)
    facts["object_new"] = object_at(register(frame, hero["register"]), 2)
    facts["other_new"] = object_at(word_at(other["address"]), 2)
    return facts


def observe_total(calls):
    run_to(COLLECT)
    before = managed(gdb.newest_frame().older(), calls)
    run_to(f"*{before['return_address']:#x}")
    return {"before": before, "after": managed(gdb.newest_frame(), calls)}


def main():
    with open(os.environ["TOUR_CALLS"], encoding="utf-8") as file:
        calls = json.load(file)
    facts = {"play": observe_play(calls), "total": observe_total(calls)}
    resume()
    with open(os.environ["TOUR_FACTS"], "w", encoding="utf-8") as file:
        json.dump(facts, file, indent=1)


main()
