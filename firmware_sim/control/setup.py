"""Set-up files: what a tester schedules before a device starts, in TOML, through the control plane.

    about = "a jam at the exit while the second group is delivered"
    profile = "i-deal-style"                 # which device it is for; any without it
    ends = "void"                            # how two rounds end: dealt (by default), void (one is), or stops

    [device]
    decks = 6                                # for a shoe: 1 to 8

    [[deck]]                                 # the next shuffles in turn
    order = "Q♠ K♠ A♠ 2h 10d"                # its first cards; the rest as drawn
    [[deck]]
    seats = [1, 2, 5]                        # or by hands, for a round dealt to these seats
    hands = { 2 = "Q♠ K♠ A♠", dealer = "2♣ 3♦ 4♥" }

    [[fault]]                                # what goes wrong: names in docs/faults.md
    name = "jam_exit"
    when = "group=1"                         # or at_card = 10, at_s = 30.0, rate = 0.001; at once without any
    times = 1                                # 0: without limit
    clear_after_s = 5.0                      # clears itself; by_hand = true: not even an automatic dealer clears it

    [mechanism]                              # imperfections of the shuffling mechanism's kernel
    sticky = 0.01

    [[action]]                               # any other tester action, by name
    open_door = {}
"""

from dataclasses import dataclass, replace
from functools import cache
from importlib import resources

from firmware_sim.control.actions import ACTION_OF, ActionCall, Actions, read_call
from firmware_sim.control.injections import BY_NAME, INJECTIONS, Nature
from firmware_sim.errors import BadControl, BadSetup
from firmware_sim.machine import profile as profiles
from firmware_sim.machine.profile import MachineKind, Profile
from protocol.vocabulary import FaultCode
from randomness import RandomnessError
from strict_toml import Document, Section, Source, read_source

MAX_DECKS = 8
DEALT, VOID, STOPS = "dealt", "void", "stops"
ENDS = (DEALT, VOID, STOPS)  # all is dealt; a round is void and the next is dealt; it stops until it is cleared


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """A set-up, read and checked."""

    about: str
    ends: str  # how `shuffler deal --rounds 2` ends on it
    profile: str | None
    decks: int | None
    calls: tuple[ActionCall, ...]

    @property
    def faults(self) -> tuple[ActionCall, ...]:
        """Its injections."""
        return tuple(call for call in self.calls if call.action is ACTION_OF["inject"])

    def adapt(self, profile: Profile) -> Profile:
        """The profile that this set-up is for, with its number of decks; refused if it is for another."""
        if self.profile not in (None, profile.name):
            raise BadSetup(f"this set-up is for the profile {self.profile}, not for {profile.name}")
        if self.decks is None:
            return profile
        if profile.build.kind is not MachineKind.SHOE:
            raise BadSetup(f"{profile.name} holds one deck; a number of decks is for a shoe")
        return replace(profile, build=replace(profile.build, decks=self.decks))

    def apply(self, actions: Actions) -> None:
        """Perform every action; raises BadSetup if one does not fit the device."""
        try:
            for call in self.calls:
                call.on(actions)
        except (BadControl, RandomnessError) as problem:
            raise BadSetup(str(problem)) from problem


# A fault that a tester can cause at any time needs no file: its set-up injects it once.
_PLAIN = {
    kind.name.replace("_", "-"): f'about = "{kind.meaning}"\n[[fault]]\nname = "{kind.name}"\n'
    for kind in INJECTIONS
    if kind.fault is not None and kind.nature in (Nature.PASS, Nature.PART)
}


def names() -> list[str]:
    """The set-ups that come with the product: files, and one for each fault without a file."""
    folder = resources.files("firmware_sim.control") / "setups"
    files = {path.name.removesuffix(".toml") for path in folder.iterdir() if path.name.endswith(".toml")}
    return sorted(files | _PLAIN.keys())


def starting_in(code: FaultCode) -> list[str]:
    """The product's set-ups that bring a fault about."""
    return [name for name in names() if any(BY_NAME[fault.values["name"]].fault is code for fault in load(name).faults)]


def load(name_or_path: str) -> Setup:
    """One of the product's set-ups by name, or a file."""
    if name_or_path in names():
        return _of_the_product(name_or_path)
    try:
        return parse(name_or_path, read_source(name_or_path, BadSetup).text)
    except FileNotFoundError:
        raise BadSetup(f"no file and no set-up is called {name_or_path!r}; there are {', '.join(names())}") from None


@cache
def _of_the_product(name: str) -> Setup:
    path = resources.files("firmware_sim.control") / "setups" / f"{name}.toml"
    return parse(name, path.read_text(encoding="utf-8") if path.is_file() else _PLAIN[name])


def parse(name: str, text: str) -> Setup:
    """A set-up from its text; invalid ones are rejected with file and line."""
    document = Document(BadSetup)
    document.add(Source(name, text))
    top = Section(document, (), document.data)
    about = top.text("about", " ").strip()
    ends = top.choice("ends", ENDS) if top.has("ends") else DEALT
    profile = top.choice("profile", profiles.names()) if top.has("profile") else None
    decks = None
    if top.has("device"):
        device = top.section("device")
        decks = device.whole("decks", 1, MAX_DECKS) if device.has("decks") else None
        device.finish()
    calls = [read_call(ACTION_OF[_rig(row)], row) for row in top.rows("deck")]
    if top.has("mechanism"):
        calls.append(read_call(ACTION_OF["wear"], Section(document, (), {"mechanism": top.take("mechanism")})))
    calls += [read_call(ACTION_OF["inject"], row) for row in top.rows("fault")]
    calls += [_action(row) for row in top.rows("action")]
    top.finish()
    return Setup(about=about, ends=ends, profile=profile, decks=decks, calls=tuple(calls))


def _rig(row: Section) -> str:
    if row.has("order") == row.has("hands"):
        row.refuse("a deck has either an order or hands")
    return "rig_deck" if row.has("order") else "rig_hands"


def _action(row: Section) -> ActionCall:
    name = next(iter(row.left), "")
    if name not in ACTION_OF or len(row.left) != 1:
        row.refuse(f"write one action as NAME = value, with a name of {', '.join(ACTION_OF)}", name or None)
    return read_call(ACTION_OF[name], row, name)
