"""The device suite's table: for each rule its check, or why it has none; and the run over all of them."""

from collections.abc import Callable, Iterator

from protocol import messages as m
from protocol.render.rules import rules
from shuffler.errors import LinkLost
from shuffler.kit.conformance.device import delivery, lines, play, sealed, sessions
from shuffler.kit.conformance.device.bench import SuiteBench
from shuffler.kit.conformance.verdict import Failed, NotApplicable, NotSeen, RuleFinding, RuleVerdict

Check = Callable[[SuiteBench], str]

# fmt: off
CHECKS: dict[str, Check] = {
    "B-4":  lines.malformed_bodies_are_refused,
    "B-8":  play.times_go_forward,
    "F-1":  lines.frames_are_found_between_zeros,
    "F-2":  lines.the_check_is_crc_32c,
    "F-3":  lines.long_noise_costs_only_itself,
    "F-4":  lines.noise_is_dropped_in_silence,
    "F-5":  lines.upper_flags_must_be_understood,
    "V-1":  lines.hellos_are_framed_with_version_one,
    "V-2":  lines.sessions_carry_their_version,
    "V-3":  lines.other_versions_are_refused,
    "V-5":  lines.unknown_messages_are_refused,
    "V-6":  lines.fingerprints_are_told_not_enforced,
    "H-2":  sessions.a_repeated_hello_gets_the_same_welcome,
    "H-3":  sessions.the_welcome_echoes_the_nonce,
    "H-4":  sessions.an_old_hello_ends_nothing,
    "H-6":  sessions.capabilities_are_agreed,
    "H-7":  sessions.the_smaller_limits_hold,
    "S-1":  sessions.frames_are_numbered_without_gaps,
    "S-2":  sessions.the_window_is_kept,
    "S-3":  sessions.early_frames_are_kept_and_copies_dropped,
    "S-4":  sessions.acknowledgements_say_what_has_come,
    "S-5":  sessions.an_ack_tells_what_came_early,
    "S-6":  sessions.commands_outside_the_order_are_refused,
    "S-7":  sessions.what_is_not_acknowledged_is_sent_again,
    "S-10": sessions.a_dead_session_is_given_up,
    "L-1":  sessions.silence_is_filled_with_heartbeats,
    "L-2":  sessions.a_silent_host_is_lost,
    "L-3":  sessions.a_reset_ends_the_session,
    "L-4":  sessions.unknown_sessions_are_reset,
    "C-1":  delivery.effects_need_an_id,
    "C-2":  delivery.a_new_id_is_executed,
    "C-3":  delivery.a_repeat_has_no_second_effect,
    "C-4":  delivery.another_command_under_a_used_id_is_refused,
    "C-5":  delivery.an_overtaken_id_is_stale,
    "C-6":  delivery.a_dropped_answer_is_forgotten,
    "C-7":  delivery.ids_before_the_hello_are_forgotten,
    "C-10": delivery.fates_are_told,
    "C-11": delivery.fences_are_bounded,
    "C-12": delivery.fates_are_true,
    "E-1":  delivery.events_wait_until_they_are_stored,
    "E-2":  delivery.a_session_begins_with_what_waits,
    "E-3":  delivery.only_events_that_exist_are_acknowledged,
    "E-6":  delivery.passing_events_are_not_kept,
    "E-7":  play.events_are_numbered_without_gaps,
    "P-1":  sessions.small_hosts_are_welcome,
    "P-3":  sessions.replies_fit_a_small_host,
    "D-2":  play.a_load_is_counted,
    "D-3":  play.a_shuffle_is_bound_to_the_nonce,
    "D-5":  play.groups_come_in_order,
    "D-6":  play.the_dealers_hand_waits_for_the_decisions,
    "D-7":  play.cards_and_stub_make_up_the_deck,
    "D-13": play.a_void_round_is_over,
    "D-14": play.the_host_voids_a_round,
    "X-1":  sealed.a_key_closes_plain_sessions,
    "X-2":  sealed.the_handshake_is_judged,
    "X-3":  sealed.every_frame_is_sealed_anew,
    "X-4":  sealed.forged_frames_are_dropped,
    "R-1":  sealed.roles_must_be_proved,
    "K-1":  play.the_root_comes_before_the_first_group,
    "K-2":  play.every_opening_opens_the_root,
}

FRAMES, HOSTS, HANDS = "every frame that the suite can read shows it", "it is a rule for hosts", "it needs a fault, a power cut or another mode, which the wire can't cause"
UNCHECKED: dict[str, str] = {
    "B-1": FRAMES, "B-2": FRAMES, "B-3": FRAMES, "B-5": "the openings of K-2 show it", "B-7": "the seats of D-5 show it",
    "B-6": "the openings of K-2 show it where a device names places",
    "V-4": HOSTS, "H-1": HOSTS, "H-5": HOSTS, "H-8": HOSTS, "H-9": HOSTS, "C-9": HOSTS, "E-4": HOSTS, "P-2": HOSTS, "P-5": HOSTS,
    "S-8": "how a sender paces what it sends again is its own affair (P-5); S-7 sees that it does",
    "S-9": "how a sender paces what it sends again is its own affair (P-5); S-7 sees that it does",
    "C-8": "filling the memory of instances would throw out the answers of other hosts",
    "E-5": "filling the event memory would stop the table",
    "P-4": "only a game with larger groups makes an event that is too long",
    "D-1": HOSTS, "D-4": "the round of D-5 begins so", "D-8": "only a device with PRESTAGES takes the next deck early",
    "D-9": "only a shoe; its rounds are dealt, not judged", "D-10": "only a shoe; its rounds are dealt, not judged",
    "D-11": "only a shoe; its rounds are dealt, not judged", "D-12": HANDS, "D-15": HANDS, "D-16": HANDS, "D-17": HOSTS,
    "A-1": HANDS, "A-2": HANDS, "A-3": HANDS, "A-4": HANDS, "A-5": HANDS,
    "R-2": "wrong answers on purpose would lock a role out",
}
# fmt: on


SHOWN_BY_A_ROUND = frozenset({"E-1", "E-2", "E-6", "P-3"}) | {
    rule for rule, check in CHECKS.items() if check.__module__ == play.__name__
}
TRIES = 3  # a finding must repeat: what a bad line does once by chance it does not do three times


def run(bench: SuiteBench, only: frozenset[str] = frozenset()) -> Iterator[RuleFinding]:
    """Every rule of the reference in its order, or only some; raises LinkLost where the line is gone for good."""
    if not only or only & SHOWN_BY_A_ROUND:
        play.play(bench)
    for rule in rules():
        if only and rule not in only:
            continue
        if rule in UNCHECKED:
            yield RuleFinding(rule, RuleVerdict.NOT_CHECKED, UNCHECKED[rule])
        else:
            yield judge(bench, rule)
    leave_as_it_was(bench)


def judge(bench: SuiteBench, rule: str) -> RuleFinding:
    """One rule's verdict."""
    for _ in range(TRIES):
        try:
            finding = _judged(bench, rule)
        except LinkLost as problem:
            finding = RuleFinding(rule, RuleVerdict.NOT_SEEN, str(problem))
            bench.line.wire.reopen()
        if finding.verdict in (RuleVerdict.PASSED, RuleVerdict.NOT_APPLICABLE):
            break
    return finding


def _judged(bench: SuiteBench, rule: str) -> RuleFinding:
    try:
        return RuleFinding(rule, RuleVerdict.PASSED, CHECKS[rule](bench))
    except Failed as problem:
        return RuleFinding(rule, RuleVerdict.FAILED, str(problem))
    except NotApplicable as problem:
        return RuleFinding(rule, RuleVerdict.NOT_APPLICABLE, str(problem))
    except NotSeen as problem:
        if rule == "F-2" and bench.line.framer.garbage.bad_crc and not any(talk.arrivals for talk in bench.talks):
            came = bench.line.framer.garbage.bad_crc
            return RuleFinding(rule, RuleVerdict.FAILED, f"{came} pieces came, and the CRC-32C of none is right")
        return RuleFinding(rule, RuleVerdict.NOT_SEEN, str(problem))


def leave_as_it_was(bench: SuiteBench) -> None:
    """Acknowledge the events that the suite itself has caused, where none of another host waited before."""
    if not bench.talks:
        return
    first = bench.talks[0].welcome
    if first.acknowledged_event != first.last_event:
        return
    try:
        talk = bench.open()
        told = delivery.waiting(talk)
        if told:
            talk.post(m.AckEvents(upto=told[-1].number))
            talk.ask(m.GetStatus())
        talk.close()
    except (NotSeen, Failed, LinkLost):
        return
