"""A run of the program of docs/tour.md, and what the page says of every run."""
import re
import signal
import sys


def require(condition, *explanation):
    if not condition:
        sys.exit("not what docs/tour.md says: " + " ".join(str(word) for word in explanation))


def same_place(one, other):
    return all(one[key] == other[key] for key in ("kind", "register", "offset"))


def same_pair(one, other):
    return all(same_place(one[part], other[part]) for part in ("base", "derived"))


def is_derived(pair):
    return not same_place(pair["base"], pair["derived"])


class Run:
    """`hero` is the reference that the page follows: in a register. `other` is one in a slot."""

    def __init__(self, program):
        self.program = program
        facts, self.output = program.observe()
        self.play, self.total = facts["play"], facts["total"]
        self.hero, self.other = self.play["hero"], self.play["other"]
        self.before, self.after = self.play["before"], self.play["after"]
        self.changes = {change["what"]: change for change in self.play["changes"]}
        self.saved = self.play["places"][self.hero["register"]]
        self.check_places()
        self.check_object()
        self.check_changes()
        self.check_every_card()
        self.check_derived()
        self.check_results()
        self.check_message()

    def later(self, pair):
        """The pair in the same places, when `play` goes on."""
        return next(other for other in self.after["pairs"] if same_pair(other, pair))

    def card(self, base):
        """The number of the card that the reference means."""
        return base["number"]

    def require_cards_of_prose(self):
        """The page speaks of card 1 in RBX, and of card 7 in a slot."""
        followed = self.hero["register"], self.card(self.hero), self.card(self.other)
        require(followed == ("rbx", 1, 7), "change the prose, which follows card 1:", followed)

    def check_places(self):
        require(self.hero["kind"] == "Register", "a reference is in a register")
        require(self.other["kind"] == "Indirect", "a reference is in a slot")
        require(len(self.before["pairs"]) == 7, "seven references are live")
        require(not any(map(is_derived, self.before["pairs"])), "no reference of play is derived")
        require(len(self.play["roots"].splitlines()) == 7, "gdb lists seven:", self.play["roots"])

    def check_object(self):
        old, new = self.play["object_before"], self.play["object_new"]
        left = self.play["object_left"]
        require(old["symbol"] == new["symbol"] == "card", "the object is a card")
        require(new["address"] != old["address"], "the object moved")
        require(new["words"] == old["words"], "the copy is what the object was")
        require(left["words"][0] == new["address"], "the old header is the forwarding address")

    def check_changes(self):
        old, new = (self.play[name]["address"] for name in ("object_before", "object_new"))
        header, register, slot = (self.changes[name] for name in ("header", "register", "slot"))
        require(self.saved["value"] == self.hero["value"] == old, "the old address was saved")
        require(header["old"] == self.play["object_before"]["header"], "the header was the type")
        require(header["new"] == new, "the header becomes the forwarding address")
        require(register["address"] == self.saved["address"], "what changes is the saved register")
        require((register["old"], register["new"]) == (old, new), "the register is rewritten")
        require(slot["old"] == self.other["value"], "the slot held the old address")
        require(slot["new"] == self.play["other_new"]["address"] != slot["old"],
                "the slot is rewritten")
        order = [change["what"] for change in self.play["changes"]]
        require(order.index("header") < order.index("register"), "the header comes first:", order)

    def check_every_card(self):
        for pair in self.before["pairs"]:
            base, later = pair["base"], self.later(pair)["base"]
            require(base["value"] != later["value"], "every reference is rewritten:", pair)
            require(base["number"] == later["number"], "it means the same card:", pair)
        resumed = next(pair["base"] for pair in self.after["pairs"]
                       if same_place(pair["base"], self.hero))
        require(resumed["value"] == self.play["object_new"]["address"],
                "play goes on with the new address in its register")

    def check_derived(self):
        before = [pair for pair in self.total["before"]["pairs"] if is_derived(pair)]
        require(len(before) == 1, "total has one derived reference")
        after = [pair for pair in self.total["after"]["pairs"] if same_pair(pair, before[0])]
        self.cursor = before[0], after[0]
        old, new = ({part: pair[part]["value"] for part in ("base", "derived")}
                    for pair in self.cursor)
        require(new["base"] != old["base"], "the array moved")
        require(new["derived"] - new["base"] == old["derived"] - old["base"] != 0,
                "the derived reference keeps its distance")

    def check_results(self):
        """The same ones, however often everything moves."""
        results = ["the cards have 28 points", "the scores sum up to 60"]
        hostile = self.program.run_hostile()
        for output in (self.output, hostile):
            require(output.splitlines()[:2] == results, output)
        for what in ("objects moved", "registers rewritten"):
            count = int(re.search(rf"{what}: (\d+)", hostile).group(1))
            require(count > 8, "more moves under stress:", hostile)

    def check_message(self):
        status, self.message = self.program.run_without_statepoint()
        require(status == -signal.SIGABRT, "a lost frame ends the process, not", status)
        require("has no stack map record" in self.message, self.message)
