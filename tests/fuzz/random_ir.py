#!/usr/bin/env python3
"""Random legal IR: its checksum is the same at every level, and when everything moves at every
safepoint.

usage: random_ir.py SPGC_LOWER SOURCE_ROOT LIBSPGC [--outside] [--count N | --seconds T] [--seed S]
                    [--keep FOLDER] [--cc COMPILER]

Each program makes objects with four references and a number, and works on them with derived
pointers, vectors of references from all that gives them, phis, selects, invokes, also of leaves,
atomics, masked loads, calls of several conventions, recursions and tail calls, tagged and boxed
numbers, arithmetic on tagged ones, and structures: passed over safepoints as a whole, and copied
through local variables.
Functions are called through pointers from all that gives one; which function ran is compared with
the one that is meant, and another ends the program. The reference is its result at -O0 in a nursery
that is never collected. It says nothing when it is lowered with --check-numbers. LIBSPGC is the
shared library.

With --outside, programs also move references as numbers: fields as integers of several widths,
through variables and structures of numbers, in deopt states, and kept over safepoints. Such a
program is refused at every level, or ends with the message of --check-numbers, or its checksum is
the same nevertheless.

A failure prints its seed; --seed S --count 1 repeats it, --keep writes its text into a folder.
"""
import argparse
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import trials  # noqa: E402

FIELDS = [8, 16, 24, 32]
VALUE = 40
CALM = "nursery=64m,limit=512m"
HOSTILE = ("stress=every-allocation,verify=full,poison=on,move=always,walk=differential,seed=3,"
           "limit=64m")
LONGEST = 120  # seconds; only a hang takes that long
VECTOR = "<2 x i64>"
KINDS = ["i64", "i128", VECTOR]
CONVENTIONS = ["", "", "fastcc", "tailcc", "swiftcc"]
REPORT = b"is the address of an object, which no collection updates"
REFERENCE = "ptr addrspace(1)"
LEVELS = ("-O0", "-O1", "-O2", "-O3")
PAIR = "{ ptr addrspace(1), i64 }"
TWO = ["{ ptr addrspace(1), ptr addrspace(1) }", "[2 x ptr addrspace(1)]"]
# The same, with one or both as numbers.
PAIRS = ["{ i64, i64 }", "[2 x i64]", "{ double, [1 x ptr] }", "{ i64, ptr addrspace(1) }",
         "{ ptr addrspace(1), i64 }", "[2 x ptr addrspace(1)]"]
HEAD = """%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }
@offsets = internal constant [4 x i32] [i32 8, i32 16, i32 24, i32 32]
@node = internal constant %spgc_type { i32 48, i32 0, i32 0, i32 4, ptr @offsets, i32 0, i32 0,
  ptr null, ptr null }
declare ptr addrspace(1) @spgc_allocate(ptr)
declare ptr @spgc_personality(...)
declare <4 x ptr addrspace(1)> @llvm.masked.load.v4p1.p1(ptr addrspace(1), i32, <4 x i1>,
  <4 x ptr addrspace(1)>)
declare i64 @llvm.bswap.i64(i64)
declare void @llvm.memcpy.p0.p1.i64(ptr, ptr addrspace(1), i64, i1)
declare void @llvm.memcpy.p1.p0.i64(ptr addrspace(1), ptr, i64, i1)
declare i128 @llvm.fshl.i128(i128, i128, i128)
declare <2 x i64> @llvm.vector.reverse.v2i64(<2 x i64>)
; Something moves in every program, whatever the optimiser removes.
@kept = internal global ptr addrspace(1) null
define ptr addrspace(1) @make(i64 %value) noinline gc "statepoint-example" {
  %o = call ptr addrspace(1) @spgc_allocate(ptr @node)
  %at = getelementptr i8, ptr addrspace(1) %o, i64 40
  store i64 %value, ptr addrspace(1) %at
  ret ptr addrspace(1) %o
}
define { <2 x ptr addrspace(1)>, i64 } @both(ptr addrspace(1) %a, ptr addrspace(1) %b) noinline
    gc "statepoint-example" {
  %o = call ptr addrspace(1) @make(i64 3)
  %one = insertelement <2 x ptr addrspace(1)> zeroinitializer, ptr addrspace(1) %a, i32 0
  %two = insertelement <2 x ptr addrspace(1)> %one, ptr addrspace(1) %b, i32 1
  %part = insertvalue { <2 x ptr addrspace(1)>, i64 } poison, <2 x ptr addrspace(1)> %two, 0
  %whole = insertvalue { <2 x ptr addrspace(1)>, i64 } %part, i64 5, 1
  ret { <2 x ptr addrspace(1)>, i64 } %whole
}
define ptr addrspace(1) @field(ptr addrspace(1) %o) noinline "gc-leaf-function" {
  %at = getelementptr i8, ptr addrspace(1) %o, i64 16
  %field = load ptr addrspace(1), ptr addrspace(1) %at
  ret ptr addrspace(1) %field
}
; Each gives another number for the same, so that it is seen which one ran.
define i64 @callee0(i64 %n) noinline gc "statepoint-example" {
  %o = call ptr addrspace(1) @make(i64 %n)
  %sum = add i64 %n, 1000
  ret i64 %sum
}
define i64 @callee1(i64 %n) noinline gc "statepoint-example" {
  %o = call ptr addrspace(1) @make(i64 %n)
  %sum = add i64 %n, 2000
  ret i64 %sum
}
define i64 @callee2(i64 %n) noinline gc "statepoint-example" {
  %o = call ptr addrspace(1) @make(i64 %n)
  %sum = add i64 %n, 3000
  ret i64 %sum
}
@callees = global { ptr, ptr, ptr } { ptr @callee0, ptr @callee1, ptr @callee2 }
@code = global ptr null
declare void @llvm.trap()
declare ptr @llvm.launder.invariant.group.p0(ptr)
define void @expect(i64 %is, i64 %wanted) noinline {
  %right = icmp eq i64 %is, %wanted
  br i1 %right, label %done, label %wrong
wrong:
  call void @llvm.trap()
  unreachable
done:
  ret void
}
define { ptr, ptr, ptr } @closures() noinline gc "statepoint-example" {
  %o = call ptr addrspace(1) @make(i64 7)
  %all = load volatile { ptr, ptr, ptr }, ptr @callees
  ret { ptr, ptr, ptr } %all
}
define { ptr addrspace(1), ptr } @closure(ptr addrspace(1) %environment, ptr %code) noinline
    gc "statepoint-example" {
  %o = call ptr addrspace(1) @make(i64 8)
  %part = insertvalue { ptr addrspace(1), ptr } poison, ptr addrspace(1) %environment, 0
  %whole = insertvalue { ptr addrspace(1), ptr } %part, ptr %code, 1
  ret { ptr addrspace(1), ptr } %whole
}
define { ptr, ptr, ptr } @closures_of_leaf() noinline "gc-leaf-function" {
  %all = load volatile { ptr, ptr, ptr }, ptr @callees
  ret { ptr, ptr, ptr } %all
}
define ptr @callee_of_leaf(ptr %code) noinline "gc-leaf-function" {
  ret ptr %code
}
define i64 @call_part({ ptr, ptr, ptr } %all, i64 %n) noinline gc "statepoint-example" {
  %code = extractvalue { ptr, ptr, ptr } %all, 1
  %result = call i64 %code(i64 %n)
  ret i64 %result
}
define i64 @look({ ptr addrspace(1), i64 } %p) noinline gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @make(i64 4)
  %o = extractvalue { ptr addrspace(1), i64 } %p, 0
  %n = extractvalue { ptr addrspace(1), i64 } %p, 1
  %at = getelementptr i8, ptr addrspace(1) %o, i64 40
  %value = load i64, ptr addrspace(1) %at
  %sum = add i64 %value, %n
  ret i64 %sum
}
define internal { ptr addrspace(1), i64 } @same({ ptr addrspace(1), i64 } %p) noinline
    gc "statepoint-example" {
  %x = call i64 @look({ ptr addrspace(1), i64 } %p)
  %q = insertvalue { ptr addrspace(1), i64 } %p, i64 %x, 1
  %garbage = call ptr addrspace(1) @make(i64 5)
  ret { ptr addrspace(1), i64 } %q
}
define internal { ptr addrspace(1), i64 } @same_at_end({ ptr addrspace(1), i64 } %p) noinline
    gc "statepoint-example" {
  %garbage = call ptr addrspace(1) @make(i64 6)
  %q = musttail call { ptr addrspace(1), i64 } @same({ ptr addrspace(1), i64 } %p)
  ret { ptr addrspace(1), i64 } %q
}
"""


class Function:
    """A function under construction: its text, and the references and numbers that are there to
    use."""

    def __init__(self, chance, callable_functions):
        self.chance, self.callable = chance, callable_functions
        self.lines, self.count, self.block = [], 0, "entry"
        self.variables = []
        self.references, self.numbers = ["%a", "%b"], ["%n"]
        self.has_words = False

    def name(self):
        self.count += 1
        return f"%v{self.count}"

    def emit(self, text):
        result = self.name()
        self.lines.append(f"  {result} = {text}")
        return result

    def do(self, text):
        self.lines.append(f"  {text}")

    def label(self, name):
        self.lines.append(f"{name}:")
        self.block = name

    def reference(self):
        return self.chance.choice(self.references[-8:])

    def number(self):
        return self.chance.choice(self.numbers[-4:])

    def field(self, offset=None):
        offset = self.chance.choice(FIELDS) if offset is None else offset
        return self.emit(f"getelementptr i8, {REFERENCE} {self.reference()}, i64 {offset}")

    def keep(self, reference):
        """In place of null, some object."""
        null = self.emit(f"icmp eq {REFERENCE} {reference}, null")
        self.references.append(
            self.emit(f"select i1 {null}, {REFERENCE} {self.reference()}, {REFERENCE} {reference}"))

    def mix(self, number):
        scaled = self.emit(f"mul i64 {self.numbers[-1]}, 31")
        self.numbers.append(self.emit(f"add i64 {scaled}, {number}"))

    def make(self):
        self.references.append(self.emit(f"call {REFERENCE} @make(i64 {self.number()})"))

    def store(self):
        self.do(f"store {REFERENCE} {self.reference()}, {REFERENCE} {self.field()}")

    def store_number(self):
        self.do(f"store i64 {self.number()}, {REFERENCE} {self.field(VALUE)}")

    def load(self):
        self.keep(self.emit(f"load {REFERENCE}, {REFERENCE} {self.field()}"))

    def make_with_state(self):
        reference = self.emit(f"load {REFERENCE}, {REFERENCE} {self.field()}")
        state = [f"{REFERENCE} {reference}", f"i64 {self.number()}"]
        self.chance.shuffle(state)
        self.references.append(self.emit(
            f'call {REFERENCE} @make(i64 {self.number()}) [ "deopt"({", ".join(state)}) ]'))
        self.keep(reference)

    def tagged(self):
        """A number in place of a reference: tagged in bit 0 or 63, or boxed."""
        number = self.number()
        small = self.emit(f"and i64 {number}, 1023")
        way = self.chance.randrange(4)
        if way == 0:
            shifted = self.emit(f"shl i64 {small}, 1")
            word = self.emit(f"or i64 {shifted}, 1")
        elif way == 1:
            word = self.emit(f"or i64 {small}, {-2**63}")
        else:
            shifted = self.emit(f"shl i64 {small}, 3")
            word = self.emit(f"or i64 {shifted}, {2**49}")
        made = (self.emit(f"inttoptr i64 {word} to {REFERENCE}") if way < 3 else
                self.emit(f"getelementptr i8, {REFERENCE} null, i64 {word}"))
        place = self.field()
        self.do(f"store {REFERENCE} {made}, {REFERENCE} {place}")
        self.make()
        read = self.emit(f"load {REFERENCE}, {REFERENCE} {place}")
        bits = self.emit(f"ptrtoint {REFERENCE} {read} to i64")
        sum_name = self.emit(f"add i64 {bits}, {small}")
        self.mix(sum_name)
        self.do(f"store {REFERENCE} {self.reference()}, {REFERENCE} {place}")

    def arithmetic(self):
        """Computes with tagged integers, and with the bits of a word that a branch has found to be
        one. What the optimiser proves about tags, it removes."""
        made = self.emit(f"inttoptr i64 {self.boxed(self.number())} to {REFERENCE}")
        place = self.field()
        self.do(f"store {REFERENCE} {made}, {REFERENCE} {place}")
        self.make()
        read = self.emit(f"load {REFERENCE}, {REFERENCE} {place}")
        words = [self.emit(f"ptrtoint {REFERENCE} {made} to i64")]
        other = self.emit(f"load {REFERENCE}, {REFERENCE} {self.field()}")
        word = self.chance.choice([read, other])
        bits = self.emit(f"ptrtoint {REFERENCE} {word} to i64")
        tag = self.emit(f"and i64 {bits}, 1")
        tests = [self.emit(f"icmp ne i64 {tag}, 0")]
        number, join, before = f"number{self.count}", f"same{self.count}", self.block
        self.do(f"br i1 {tests[0]}, label %{number}, label %{join}")
        self.label(number)
        words.append(bits)
        for _ in range(self.chance.randrange(2, 9)):
            self.compute(words, tests)
        result = self.emit(f"inttoptr i64 {self.boxed(words[-1])} to {REFERENCE}")
        self.do(f"br label %{join}")
        self.label(join)
        both = self.emit(f"phi {REFERENCE} [ {result}, %{number} ], [ {made}, %{before} ]")
        self.do(f"store {REFERENCE} {both}, {REFERENCE} {place}")
        self.make()
        read = self.emit(f"load {REFERENCE}, {REFERENCE} {place}")
        self.mix(self.emit(f"ptrtoint {REFERENCE} {read} to i64"))
        self.do(f"store {REFERENCE} {self.reference()}, {REFERENCE} {place}")

    def boxed(self, number):
        """With a tag in bit 0."""
        way = self.chance.randrange(3)
        if way > 0:
            number = self.emit(f"shl i64 {number}, 1")
        return self.emit(f"{'add' if way == 2 else 'or'} i64 {number}, 1")

    def compute(self, words, tests):
        """Adds a word, or the result of a test."""
        def word():
            constant = self.chance.choice([0, 1, 2, 3, 8, -1, -2, 2**49, 2**63 - 1])
            return self.chance.choice([constant, *words[-3:]])

        way = self.chance.randrange(8)
        if way < 3:
            operation = self.chance.choice(["add", "sub", "mul", "and", "or", "xor"])
            words.append(self.emit(f"{operation} i64 {word()}, {word()}"))
        elif way == 3:
            operation = self.chance.choice(["shl", "lshr", "ashr"])
            words.append(
                self.emit(f"{operation} i64 {word()}, {self.chance.choice([1, 2, 3, 48, 63])}"))
        elif way == 4:
            operation = self.chance.choice(["eq", "ne", "ult", "slt", "sge"])
            tests.append(self.emit(f"icmp {operation} i64 {word()}, {word()}"))
        elif way == 5:
            bit = self.emit(f"and i64 {word()}, {self.chance.choice([1, 2, 7])}")
            tests.append(self.emit(f"icmp eq i64 {bit}, {self.chance.choice([0, 1, 2])}"))
        elif way == 6:
            words.append(self.emit(f"zext i1 {tests[-1]} to i64"))
        else:
            words.append(self.emit(f"select i1 {tests[-1]}, i64 {word()}, i64 {word()}"))

    def load_number(self):
        self.mix(self.emit(f"load i64, {REFERENCE} {self.field(VALUE)}"))

    def derived(self):
        inner = self.field(VALUE)
        self.make()
        self.mix(self.emit(f"load i64, {REFERENCE} {inner}"))

    def exchange(self):
        self.keep_across(
            self.emit(f"atomicrmw xchg {REFERENCE} {self.field()}, {REFERENCE} {self.reference()} "
                      f"seq_cst"))

    def keep_across(self, reference):
        self.make()
        self.keep(reference)

    def compare_and_swap(self):
        pair = self.emit(f"cmpxchg {REFERENCE} {self.field()}, {REFERENCE} "
                         f"{self.chance.choice(['null', self.reference()])}, "
                         f"{REFERENCE} {self.reference()} seq_cst seq_cst")
        old = self.emit(f"extractvalue {{ {REFERENCE}, i1 }} {pair}, 0")
        swapped = self.emit(f"extractvalue {{ {REFERENCE}, i1 }} {pair}, 1")
        self.keep_across(old)
        self.mix(self.emit(f"zext i1 {swapped} to i64"))

    def vector(self):
        lanes = self.chance.choice([1, 2, 3, 4, 5, 8])
        kind = f"<{lanes} x {REFERENCE}>"
        value = self.chance.choice(["poison", "zeroinitializer"])
        filled = self.chance.randrange(1, lanes + 1)
        for lane in range(filled):
            value = self.emit(
                f"insertelement {kind} {value}, {REFERENCE} {self.reference()}, i32 {lane}")
        if self.chance.random() < 0.5:
            mask = [self.chance.choice(["i32 poison", f"i32 {lane}"]) for lane in range(lanes)]
            mask[0] = "i32 0"
            value = self.emit(
                f"shufflevector {kind} {value}, {kind} poison, <{lanes} x i32> <{', '.join(mask)}>")
            filled = 1
        self.make()
        self.references.append(
            self.emit(f"extractelement {kind} {value}, i32 {self.chance.randrange(filled)}"))

    def vector_of_numbers(self):
        """One lane becomes a reference to an object later."""
        odd = self.emit(f"or i64 {self.number()}, 1")
        filled = self.emit(f"insertelement <2 x i64> <i64 1, i64 3>, i64 {odd}, i32 1")
        kind = f"<2 x {REFERENCE}>"
        value = self.emit(f"inttoptr <2 x i64> {filled} to {kind}")
        self.make()
        lane = self.chance.randrange(2)
        value = self.emit(
            f"insertelement {kind} {value}, {REFERENCE} {self.reference()}, i32 {lane}")
        self.make()
        self.references.append(self.emit(f"extractelement {kind} {value}, i32 {lane}"))

    def vector_in_structure(self):
        kind = f"{{ <2 x {REFERENCE}>, i64 }}"
        whole = self.invoke(
            f"{kind} @both({REFERENCE} {self.reference()}, {REFERENCE} {self.reference()})")
        value = self.emit(f"extractvalue {kind} {whole}, 0")
        self.make()
        self.references.append(self.emit(
            f"extractelement <2 x {REFERENCE}> {value}, i32 {self.chance.randrange(2)}"))

    def vector_of_one(self):
        kind = f"<1 x {REFERENCE}>"
        value = self.emit(f"bitcast {REFERENCE} {self.reference()} to {kind}")
        self.make()
        self.references.append(self.emit(f"bitcast {kind} {value} to {REFERENCE}"))
        self.make()

    def masked_load(self):
        mask = [self.chance.randrange(2) for _ in FIELDS]
        lane = self.chance.randrange(4)
        mask[lane] = 1
        kind = f"<4 x {REFERENCE}>"
        value = self.emit(f"call {kind} @llvm.masked.load.v4p1.p1({REFERENCE} {self.field(8)}, i32 "
                          f"8, "
                          f"<4 x i1> <{', '.join(f'i1 {bit}' for bit in mask)}>, {kind} poison)")
        self.make()
        self.keep(self.emit(f"extractelement {kind} {value}, i32 {lane}"))

    def structure(self):
        kind = f"{{ {REFERENCE}, i64 }}"
        first = self.emit(f"insertvalue {kind} poison, {REFERENCE} {self.reference()}, 0")
        whole = self.emit(f"insertvalue {kind} {first}, i64 {self.number()}, 1")
        other = self.emit(f"insertvalue {kind} {whole}, {REFERENCE} {self.reference()}, 0")
        bit = self.emit(f"trunc i64 {self.number()} to i1")
        chosen = self.emit(f"select i1 {bit}, {kind} {whole}, {kind} {other}")
        reference = self.emit(f"extractvalue {kind} {chosen}, 0")
        self.keep_across(reference)

    def passed_structure(self):
        first = self.emit(f"insertvalue {PAIR} poison, {REFERENCE} {self.reference()}, 0")
        whole = self.emit(f"insertvalue {PAIR} {first}, i64 {self.number()}, 1")
        if self.chance.random() < 0.5:
            same = self.invoke(f"{PAIR} @same({PAIR} {whole})")
        else:  # nobody reads the number
            same = self.invoke(f"{PAIR} @same_at_end({PAIR} {whole})")
            part = self.emit(f"extractvalue {PAIR} {same}, 0")
            same = self.emit(f"insertvalue {PAIR} {whole}, {REFERENCE} {part}, 0")
        if self.chance.random() < 0.5:
            bit = self.emit(f"trunc i64 {self.number()} to i1")
            same = self.emit(f"select i1 {bit}, {PAIR} {whole}, {PAIR} {same}")
        self.make()
        self.mix(self.invoke(f"i64 @look({PAIR} {same})"))
        self.make()
        self.references.append(self.emit(f"extractvalue {PAIR} {same}, 0"))

    def copied_structure(self):
        """Two fields of an object become those of another one, by a local variable or directly."""
        self.copy_structure(TWO)

    def copy_structure(self, kinds):
        kind, offset = self.chance.choice(kinds), self.chance.choice(FIELDS[:3])
        to, source = self.field(offset), self.field(self.chance.choice(FIELDS[:3]))
        value = self.emit(f"load {kind}, {REFERENCE} {source}, align 8")
        if self.chance.random() < 0.7:
            self.variables.append(f"  %local{len(self.variables)} = alloca [2 x {REFERENCE}]")
            local = f"%local{len(self.variables) - 1}"
            self.do(f"store {kind} {value}, ptr {local}, align 8")
            self.make()
            kind = self.chance.choice(kinds)
            value = self.emit(f"load {kind}, ptr {local}, align 8")
        self.do(f"store {kind} {value}, {REFERENCE} {to}, align 8")

    def field_and_number(self):
        """The last field, and the number behind it."""
        whole = self.emit(f"load {PAIR}, {REFERENCE} {self.field(FIELDS[-1])}")
        self.make()
        self.do(f"store {PAIR} {whole}, {REFERENCE} {self.field(FIELDS[-1])}")
        self.keep(self.emit(f"extractvalue {PAIR} {whole}, 0"))

    def branch(self):
        """Either way makes other objects, and a derived pointer comes out with a reference."""
        tag = self.count = self.count + 1
        bit = self.emit(f"trunc i64 {self.number()} to i1")
        self.do(f"br i1 {bit}, label %yes{tag}, label %no{tag}")
        references, numbers, results = list(self.references), list(self.numbers), []
        for way in ("yes", "no"):
            self.references, self.numbers = list(references), list(numbers)
            self.label(f"{way}{tag}")
            for _ in range(self.chance.randrange(3)):
                self.chance.choice([self.make, self.store, self.load,
                                   self.derived, self.exchange, self.tagged])()
            inner = self.emit(f"getelementptr i8, {REFERENCE} {self.reference()}, i64 {VALUE}")
            results.append((self.reference(), inner, self.numbers[-1], self.block))
            self.do(f"br label %join{tag}")
        self.references, self.numbers = references, numbers
        self.label(f"join{tag}")
        phi = lambda kind, i: self.emit(
            f"phi {kind} " + ", ".join(f"[ {result[i]}, %{result[3]} ]" for result in results))
        reference, inner, number = phi(REFERENCE, 0), phi(REFERENCE, 1), phi("i64", 2)
        self.references.append(reference)
        self.numbers.append(number)
        self.make()
        self.mix(self.emit(f"load i64, {REFERENCE} {inner}"))

    def loop(self):
        tag = self.count = self.count + 1
        before, references, numbers = self.block, list(self.references), list(self.numbers)
        first, total = self.reference(), self.numbers[-1]
        given = self.chance.random() < 0.4
        if given:
            self.do(f"%given{tag} = invoke {REFERENCE} @field({REFERENCE} {self.reference()}) "
                    f"\"gc-leaf-function\" to label %loop{tag} unwind label %pad{tag}")
            self.pad(tag)
        else:
            self.do(f"br label %loop{tag}")
        self.label(f"loop{tag}")
        i, now, sum_name = self.name(), self.name(), self.name()
        place = len(self.lines)
        self.references.append(now)
        self.numbers.append(sum_name)
        if given:
            self.keep(f"%given{tag}")
        for _ in range(self.chance.randrange(1, 4)):
            self.chance.choice([self.make, self.store, self.load,
                               self.derived, self.vector, self.exchange, self.tagged])()
        after, last = self.references[-1], self.numbers[-1]
        following = self.emit(f"add i64 {i}, 1")
        done = self.emit(f"icmp eq i64 {following}, {self.chance.randrange(1, 6)}")
        self.lines[place:place] = [
            f"  {i} = phi i64 [ 0, %{before} ], [ {following}, %{self.block} ]",
            f"  {now} = phi {REFERENCE} [ {first}, %{before} ], [ {after}, %{self.block} ]",
            f"  {sum_name} = phi i64 [ {total}, %{before} ], [ {last}, %{self.block} ]"]
        self.do(f"br i1 {done}, label %exit{tag}, label %loop{tag}")
        self.label(f"exit{tag}")
        self.references, self.numbers = references + [after], numbers + [last]

    def call(self):
        if not self.callable:
            return
        convention, name = self.chance.choice(self.callable)
        small = self.emit(f"and i64 {self.number()}, 3")
        arguments = f"({REFERENCE} {self.reference()}, {REFERENCE} {self.reference()}, i64 {small})"
        self.mix(self.invoke(f"{convention} i64 {name}{arguments}"))

    def pad(self, tag):
        self.label(f"pad{tag}")
        self.do(f"%token{tag} = landingpad token cleanup")
        self.do("ret i64 0")

    def invoke(self, call):
        """Some are calls."""
        if self.chance.random() < 0.7:
            return self.emit(f"call {call}")
        tag = self.count = self.count + 1
        result = self.emit(f"invoke {call} to label %go{tag} unwind label %pad{tag}")
        self.pad(tag)
        self.label(f"go{tag}")
        return result

    def callee(self, number):
        """A pointer to the function with the number, from something that gives one."""
        triple = "{ ptr, ptr, ptr }"
        place = self.emit(f"getelementptr {triple}, ptr @callees, i32 0, i32 {number}")
        word = self.emit(f"load volatile ptr, ptr {place}")
        wrong = f"@callee{(number + 1) % 3}"
        source = self.chance.randrange(12)
        if source < 4:  # a part of a structure
            whole = [lambda: self.emit(f"load volatile {triple}, ptr @callees"),
                     lambda: self.emit(f"load {triple}, ptr @callees"),
                     lambda: self.invoke(f"{triple} @closures()"),
                     lambda: self.invoke(f"{triple} @closures_of_leaf()")][source]()
            return self.emit(f"extractvalue {triple} {whole}, {number}")
        if source == 4:
            kind = f"{{ {REFERENCE}, ptr }}"
            whole = self.invoke(f"{kind} @closure({REFERENCE} {self.reference()}, ptr {word})")
            self.references.append(self.emit(f"extractvalue {kind} {whole}, 0"))
            return self.emit(f"extractvalue {kind} {whole}, 1")
        if source == 5:
            first = self.emit(f"insertelement <2 x ptr> poison, ptr {wrong}, i32 0")
            both = self.emit(f"insertelement <2 x ptr> {first}, ptr {word}, i32 1")
            return self.emit(f"extractelement <2 x ptr> {both}, i32 1")
        if source == 6:
            self.do(f"store ptr {word}, ptr @code")
            pair = self.emit(f"cmpxchg ptr @code, ptr null, ptr {wrong} seq_cst seq_cst")
            return self.emit(f"extractvalue {{ ptr, i1 }} {pair}, 0")
        if source == 7:
            self.do(f"store ptr {word}, ptr @code")
            return self.emit(f"atomicrmw xchg ptr @code, ptr {wrong} seq_cst")
        if source == 8:
            number = self.emit(f"ptrtoint ptr {word} to i64")
            return self.emit(f"inttoptr i64 {number} to ptr")
        if source == 9:
            bit = self.emit(f"icmp eq ptr {word}, {wrong}")
            return self.emit(f"select i1 {bit}, ptr {wrong}, ptr {word}")
        if source == 10:
            return self.emit(f"call ptr @callee_of_leaf(ptr {word})")
        return self.emit(f"call ptr @llvm.launder.invariant.group.p0(ptr {word})")

    def call_pointer(self):
        number, given = self.chance.randrange(3), self.number()
        code = self.callee(number)
        if self.chance.random() < 0.3:
            code = self.emit(f"freeze ptr {code}")
        result = self.invoke(f"i64 {code}(i64 {given})")
        self.expect(result, given, number)

    def call_part_of_parameter(self):
        given = self.number()
        whole = self.emit("load { ptr, ptr, ptr }, ptr @callees")
        result = self.invoke(f"i64 @call_part({{ ptr, ptr, ptr }} {whole}, i64 {given})")
        self.expect(result, given, 1)

    def expect(self, result, given, number):
        wanted = self.emit(f"add i64 {given}, {(number + 1) * 1000}")
        self.do(f'call void @expect(i64 {result}, i64 {wanted}) "gc-leaf-function"')

    def unreachable(self):
        """A block that nothing reaches, with values that are computed from themselves."""
        self.label("dead")
        self.do(f"%dead.a = getelementptr i8, {REFERENCE} %dead.b, i64 {VALUE}")
        self.do(f"%dead.b = freeze {REFERENCE} %dead.a")
        self.do(f"store i64 0, {REFERENCE} %dead.b")
        self.do("br label %dead")

    def step(self):
        self.chance.choice([self.make, self.store, self.store, self.store_number, self.load,
            self.load_number, self.make_with_state,
                            self.derived, self.exchange, self.compare_and_swap, self.vector,
                            self.call_pointer, self.call_pointer, self.call_part_of_parameter,
                            self.vector_of_numbers, self.vector_in_structure, self.vector_of_one,
                            self.masked_load, self.tagged, self.arithmetic, self.structure,
                            self.passed_structure, self.copied_structure, self.field_and_number,
                            self.branch, self.loop, self.call])()


class Outside(Function):
    """Moves references as numbers."""

    def step(self):
        if self.chance.random() < 0.15:
            self.chance.choice([self.words, self.copied_numbers, self.numbers_in_state,
                                self.kept_number, self.copied_bytes])()
        else:
            super().step()

    def copied_numbers(self):
        self.copy_structure(PAIRS + TWO)

    def numbers_in_state(self):
        """A field and an address as numbers."""
        word = self.emit(f"load i64, {REFERENCE} {self.field()}")
        number = self.emit(f"ptrtoint {REFERENCE} {self.reference()} to i64")
        self.references.append(self.emit(
            f'call {REFERENCE} @make(i64 {self.number()}) '
            f'[ "deopt"(i64 {word}, i64 {number}) ]'))

    def kept_number(self):
        number = self.emit(f"ptrtoint {REFERENCE} {self.reference()} to i64")
        changed = self.emit(self.chance.choice(
            [f"add i64 {number}, 0", f"call i64 @llvm.bswap.i64(i64 {number})",
             f"xor i64 {number}, 1"]))
        back = f"call i64 @llvm.bswap.i64(i64 {changed})"
        self.make()
        if self.chance.random() < 0.5:
            same = self.emit(f"icmp eq i64 {changed}, 0")
            self.mix(self.emit(f"zext i1 {same} to i64"))
        else:
            self.references.append(self.emit(f"inttoptr i64 {self.emit(back)} to {REFERENCE}"))

    def copied_bytes(self):
        self.variables.append(f"  %local{len(self.variables)} = alloca [16 x i8]")
        local = f"%local{len(self.variables) - 1}"
        self.do(f"call void @llvm.memcpy.p0.p1.i64(ptr {local}, {REFERENCE} {self.field(8)}, "
                f"i64 16, i1 false)")
        self.make()
        self.do(f"call void @llvm.memcpy.p1.p0.i64({REFERENCE} {self.field(8)}, ptr {local}, "
                f"i64 16, i1 false)")

    def load_words(self, kind, pointer, place):
        """Two words: as one value, or as a list of two numbers."""
        if kind != "i64":
            return self.emit(f"load {kind}, {pointer} {place}, align 8")
        second = self.emit(f"getelementptr i8, {pointer} {place}, i64 8")
        return [self.emit(f"load i64, {pointer} {at}") for at in (place, second)]

    def store_words(self, kind, words, pointer, place):
        if kind != "i64":
            self.do(f"store {kind} {words}, {pointer} {place}, align 8")
            return
        second = self.emit(f"getelementptr i8, {pointer} {place}, i64 8")
        for word, at in zip(words, (place, second)):
            self.do(f"store i64 {word}, {pointer} {at}")

    def apart(self, kind, words):
        """The two words as numbers."""
        if kind == "i64":
            return words
        if kind == VECTOR:
            return [self.emit(f"extractelement {kind} {words}, i32 {lane}") for lane in (0, 1)]
        high = self.emit(f"lshr i128 {words}, 64")
        return [self.emit(f"trunc i128 {word} to i64") for word in (words, high)]

    def together(self, kind, words):
        if kind == "i64":
            return words
        if kind == VECTOR:
            first = self.emit(f"insertelement {kind} poison, i64 {words[0]}, i32 0")
            return self.emit(f"insertelement {kind} {first}, i64 {words[1]}, i32 1")
        low, high = (self.emit(f"zext i64 {word} to i128") for word in words)
        shifted = self.emit(f"shl i128 {high}, 64")
        return self.emit(f"{self.chance.choice(['or', 'add'])} i128 {low}, {shifted}")

    def convert(self, kind, words, other):
        if "i64" not in (kind, other) and self.chance.random() < 0.5:
            return self.emit(f"bitcast {kind} {words} to {other}")
        return self.together(other, self.apart(kind, words))

    def rearrange(self, kind, words):
        """The words change places, or a tag is set and taken off, or a mask chooses."""
        change = self.chance.randrange(4)
        if change == 0:
            if kind == "i64":
                return words[::-1]
            return self.emit(
                f"call i128 @llvm.fshl.i128(i128 {words}, i128 {words}, i128 64)" if kind == "i128"
                else f"call {VECTOR} @llvm.vector.reverse.v2i64({VECTOR} {words})")
        if change == 1:
            tag, mask = {"i64": (1, -8), "i128": (1 << 64 | 1, ~(7 << 64 | 7)),
                         VECTOR: ("<i64 1, i64 2>", "<i64 -8, i64 -4>")}[kind]
            untag = lambda value: self.emit(
                f"and {kind} " + self.emit(f"or {kind} {value}, {tag}") + f", {mask}")
            return [untag(word) for word in words] if kind == "i64" else untag(words)
        if change == 2 and kind == "i64":
            some = self.emit(f"icmp ne i64 {words[0]}, 0")
            mask = self.emit(f"sext i1 {some} to i64")
            return [words[1], self.emit(f"and i64 {words[0]}, {mask}")]
        return words

    def move_words(self, kind, words):
        """Into an object, as numbers of another kind."""
        if self.chance.random() < 0.7:
            words = self.rearrange(kind, words)
        other = self.chance.choice(KINDS)
        self.store_words(other, self.convert(kind, words, other), REFERENCE,
                         self.field(self.chance.choice(FIELDS[:-1])))

    def words(self):
        """No word stays a number across a safepoint: it is in an object or in the variable."""
        kind = self.chance.choice(KINDS)
        self.make()
        young = self.references[-1]
        source = self.field(self.chance.choice(FIELDS[:-1]))
        self.do(f"store {REFERENCE} {young}, {REFERENCE} {source}")
        words = self.load_words(kind, REFERENCE, source)
        if self.chance.random() < 0.5:
            self.move_words(kind, words)
        else:
            self.has_words = True
            self.store_words(kind, words, "ptr", "%words")
            if self.chance.random() < 0.7:
                self.make()
            kind = self.chance.choice(KINDS)
            self.move_words(kind, self.load_words(kind, "ptr", "%words"))
        self.make()


def function(kind, chance, convention, name, callable_functions):
    """Some recur, on fewer steps and other objects, before or in the middle of what else they
    do."""
    body = kind(chance, callable_functions)
    body.lines = ["entry:"]
    recursive, steps = chance.random() < 0.4, chance.randrange(3, 12)
    at = chance.randrange(steps)
    if recursive:
        body.do("%end = icmp sle i64 %n, 0")
        body.do("br i1 %end, label %leave, label %on")
        body.label("leave")
        body.do(f"%last.at = getelementptr i8, {REFERENCE} %a, i64 {VALUE}")
        body.do(f"%last = load i64, {REFERENCE} %last.at")
        body.do("ret i64 %last")
        body.label("on")
    for step in range(steps):
        body.step()
        if recursive and step == at:
            for _ in range(chance.randrange(1, 3)):
                less = body.emit("sub i64 %n, 1")
                body.mix(body.emit(f"call {convention} i64 {name}({REFERENCE} {body.reference()}, "
                                   f"{REFERENCE} {body.reference()}, i64 {less})"))
    body.load_number()
    if body.has_words:
        body.lines[1:1] = ["  %words = alloca [2 x ptr addrspace(1)]",
                           "  store [2 x ptr addrspace(1)] zeroinitializer, ptr %words"]
    inlining = ["", "noinline"] if recursive else ["", "", "noinline", "alwaysinline"]
    head = (f"define {chance.choice(['', 'internal '])}{convention} i64 {name}({REFERENCE} %a, "
            f"{REFERENCE} %b, i64 %n) "
            f"{chance.choice(inlining)} "
            f'gc "statepoint-example" personality ptr @spgc_personality {{')
    body.do(f"ret i64 {body.numbers[-1]}")
    if chance.random() < 0.3:
        body.unreachable()
    body.lines[1:1] = body.variables
    return "\n".join([head, *body.lines, "}"])


def program(chance, kind=Function):
    parts, functions = [HEAD], []
    for i in range(chance.randrange(2, 5)):
        convention, name = chance.choice(CONVENTIONS), f"@f{i}"
        parts.append(function(kind, chance, convention, name, functions))
        functions.append((convention, name))
    convention, name = functions[-1]
    parts.append(f"""define i64 @managed_run(i64 %n) gc "statepoint-example" {{
  %a = call {REFERENCE} @make(i64 1)
  %b = call {REFERENCE} @make(i64 2)
  %r = call {convention} i64 {name}({REFERENCE} %a, {REFERENCE} %b, i64 %n)
  %again = call {convention} i64 {name}({REFERENCE} %b, {REFERENCE} %a, i64 2)
  %sum = add i64 %r, %again
  store volatile {REFERENCE} %b, ptr @kept
  %last = call {REFERENCE} @make(i64 3)
  store volatile {REFERENCE} %last, ptr @kept
  ret i64 %sum
}}
""")
    return "\n".join(parts)


def execute(command, options=""):
    environment = dict(os.environ, SPGC_OPTIONS=options)
    return subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
        timeout=LONGEST,
                          check=False)


class Check:
    """Of one program."""

    def __init__(self, arguments, text, scratch):
        self.arguments, self.scratch, self.expected = arguments, scratch, None
        self.source, self.linked = scratch / "program.ll", scratch / "program"
        self.source.write_text(text)

    def lowered(self, level, *options):
        """The message if it is refused, or None."""
        done = execute([self.arguments.lower, level, "--verify-each", *options, str(self.source),
                        "-o", str(self.scratch / "program.o")])
        return None if done.returncode == 0 else done.stderr.decode(errors="replace")[:600]

    def complaint(self, level, ways):
        """What is wrong with what it does, or None."""
        library = self.arguments.library
        linked = execute([self.arguments.cc, str(self.scratch / "main.o"),
                          str(self.scratch / "program.o"), library,
                          f"-Wl,-rpath,{os.path.dirname(os.path.abspath(library))}", "-o",
                          str(self.linked)])
        if linked.returncode != 0:
            return f"{level}: {linked.stderr.decode(errors='replace')[:600]}"
        for options in ways:
            ran = execute([str(self.linked), "3", str(self.expected or 0)], options)
            found = re.search(rb"^(-?\d+);", ran.stdout, re.MULTILINE)
            if found is None:
                return (f"{level} {options}: status {ran.returncode}: "
                        f"{ran.stderr.decode(errors='replace')[:600]}")
            result = int(found.group(1))
            self.expected = result if self.expected is None else self.expected
            complaint = ran.stderr.decode(errors="replace")
            if result != self.expected or "broken" in complaint or (options == HOSTILE
                and ran.returncode != 0):
                return f"{level} {options}: {result}, not {self.expected}; {complaint[:600]}"
        return None

    def problem_inside(self):
        for level, *options in (["-O0"], ["-O1"], ["-O2"], ["-O3"], ["-O1", "--check-numbers"]):
            refusal = self.lowered(level, *options)
            problem = (f"{level}: {refusal}" if refusal is not None
                       else self.complaint(level, (CALM, HOSTILE)))
            if problem is not None:
                return problem
        return None

    def problem_outside(self):
        refusals = [self.lowered(level) for level in LEVELS]
        if any(refusals):
            return None if all(refusals) else f"refused at some levels only: {refusals}"
        for level in LEVELS:
            self.lowered(level)
            problem = self.complaint(level, (CALM, HOSTILE))
            if problem is None:
                continue
            self.lowered(level, "--check-numbers")
            reported = self.complaint(level, (HOSTILE,))
            if reported is None or REPORT.decode() not in reported:
                return f"{problem}; with --check-numbers: {reported}"
        return None


def main():
    parser = argparse.ArgumentParser()
    for name in ("lower", "root", "library"):
        parser.add_argument(name)
    trials.add_arguments(parser, 20)
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4), "little"))
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--outside", action="store_true")
    arguments = parser.parse_args()
    print(f"seeds from {arguments.seed} on", flush=True)
    count = failures = 0
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run([arguments.cc, "-c", f"{arguments.root}/tests/integration/run_main.c",
            f"-I{arguments.root}/include",
                        "-o", f"{scratch}/main.o"], check=True)
        for seed in (arguments.seed + number for number in trials.trials(arguments)):
            count += 1
            text = program(random.Random(seed), Outside if arguments.outside else Function)
            check = Check(arguments, text, pathlib.Path(scratch))
            problem = check.problem_outside() if arguments.outside else check.problem_inside()
            if problem is not None:
                failures += 1
                print(f"seed {seed}: {problem}", flush=True)
                if arguments.keep is not None:
                    arguments.keep.mkdir(parents=True, exist_ok=True)
                    kept = arguments.keep / f"random-{seed}.ll"
                    kept.write_text(text)
                    print(f"kept as {kept}", flush=True)
    print(f"{count} programs, {failures} failures")
    sys.exit(failures != 0)


if __name__ == "__main__":
    main()
