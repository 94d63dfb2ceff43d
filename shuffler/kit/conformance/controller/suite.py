"""The controller suite's table: for each rule what a transcript shows of it, or why it can't show it."""

from collections.abc import Callable

from protocol.render.rules import rules
from shuffler.kit.conformance.controller import opening, running
from shuffler.kit.conformance.controller.transcript import RunTranscript
from shuffler.kit.conformance.verdict import Failed, NotApplicable, NotSeen, RuleFinding, RuleVerdict

Check = Callable[[RunTranscript], str]

# fmt: off
CHECKS: dict[str, Check] = {
    "B-4":  opening.bodies_are_well_formed,
    "F-1":  opening.two_delimiters_a_frame,
    "F-2":  opening.the_check_is_crc_32c,
    "F-3":  opening.endless_noise_is_thrown_away,
    "F-4":  opening.noise_is_dropped,
    "F-5":  opening.flags_are_understood,
    "V-1":  opening.hellos_have_version_one,
    "V-2":  opening.sessions_have_their_version,
    "V-4":  opening.another_version_ends_the_session,
    "H-1":  opening.hellos_are_repeated,
    "H-3":  opening.other_welcomes_are_dropped,
    "H-5":  opening.a_heartbeat_comes_first,
    "H-7":  opening.limits_are_kept,
    "H-8":  opening.a_memory_that_was_set_back_is_refused,
    "H-9":  opening.events_come_before_effects,
    "S-1":  running.frames_are_numbered,
    "S-2":  running.the_window_is_kept,
    "S-4":  running.acknowledgements_are_true,
    "S-5":  running.early_frames_are_told,
    "S-6":  running.commands_are_in_order,
    "S-7":  running.lost_frames_are_sent_again,
    "L-1":  running.silence_is_filled,
    "L-2":  running.a_silent_device_is_lost,
    "L-3":  running.a_reset_ends_the_session,
    "L-4":  running.other_sessions_are_dropped,
    "C-1":  running.ids_are_used_once,
    "C-9":  running.unanswered_commands_come_again,
    "E-1":  running.events_are_acknowledged,
    "E-3":  running.events_are_acknowledged_after_they_came,
    "P-1":  opening.the_offer_makes_sense,
    "D-1":  running.rounds_are_numbered_upwards,
    "D-3":  running.nonces_are_fresh,
    "X-1":  opening.a_key_seals_everything,
    "X-4":  opening.forged_frames_are_dropped,
}

FRAMES, DEVICES = "every frame that the suite can read shows it", "it is a rule for devices"
INSIDE = "what a host does with it happens inside, where a device can't look"
PACE = "how a sender paces what it sends again is its own affair (P-5); S-7 sees that it does"
REFUSED = "the device refuses what is wrong in it; a host may try"
UNCHECKED: dict[str, str] = {
    "B-1": FRAMES, "B-2": FRAMES, "B-3": FRAMES, "B-5": INSIDE, "B-6": INSIDE, "B-7": INSIDE, "B-8": DEVICES,
    "V-3": DEVICES, "V-5": INSIDE, "V-6": "it is told, not enforced", "H-2": DEVICES, "H-4": DEVICES, "H-6": DEVICES,
    "S-3": INSIDE, "S-8": PACE, "S-9": PACE, "S-10": PACE,
    "C-2": DEVICES, "C-3": DEVICES, "C-4": DEVICES, "C-5": DEVICES, "C-6": DEVICES, "C-7": DEVICES, "C-8": DEVICES,
    "C-10": DEVICES, "C-11": DEVICES, "C-12": DEVICES, "E-2": DEVICES, "E-4": "whether a host keeps events is its own affair",
    "E-5": DEVICES, "E-6": INSIDE, "E-7": INSIDE, "P-2": "S-2 and S-4 show it", "P-3": DEVICES, "P-4": DEVICES, "P-5": PACE,
    "D-2": REFUSED, "D-4": REFUSED, "D-5": INSIDE, "D-6": REFUSED, "D-7": REFUSED, "D-8": REFUSED, "D-9": DEVICES,
    "D-10": DEVICES, "D-11": DEVICES, "D-12": INSIDE, "D-13": REFUSED, "D-14": REFUSED, "D-15": INSIDE, "D-16": INSIDE,
    "D-17": "H-9 and C-9 show it",
    "A-1": DEVICES, "A-2": DEVICES, "A-3": DEVICES, "A-4": DEVICES, "A-5": INSIDE,
    "X-2": "X-1 shows that the host opened no session without its proof", "X-3": "a device opens no frame that is sealed otherwise",
    "R-1": DEVICES, "R-2": DEVICES, "K-1": DEVICES, "K-2": INSIDE,
}
# fmt: on


def judge(seen: RunTranscript) -> list[RuleFinding]:
    """Every rule of the reference, in its order."""
    return [_judged(seen, rule) for rule in rules()]


def _judged(seen: RunTranscript, rule: str) -> RuleFinding:
    if rule in UNCHECKED:
        return RuleFinding(rule, RuleVerdict.NOT_CHECKED, UNCHECKED[rule])
    try:
        return RuleFinding(rule, RuleVerdict.PASSED, CHECKS[rule](seen))
    except Failed as problem:
        return RuleFinding(rule, RuleVerdict.FAILED, str(problem))
    except NotApplicable as problem:
        return RuleFinding(rule, RuleVerdict.NOT_APPLICABLE, str(problem))
    except NotSeen as problem:
        return RuleFinding(rule, RuleVerdict.NOT_SEEN, str(problem))
