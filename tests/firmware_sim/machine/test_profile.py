"""Profiles: every value beside its source; unknown, missing and impossible values are refused by name."""

from dataclasses import fields
from pathlib import Path

import pytest

from firmware_sim.errors import BadProfile
from firmware_sim.machine import profile as profiles
from firmware_sim.machine.profile import Badge, Construction, Senses, Timings, parse
from firmware_sim.machine.shuffling import kernel_for
from proofs.bare import Bare
from proofs.controller import Controller
from protocol import messages as m
from protocol.vocabulary import MisdealReason

GOOD = profiles.load("i-deal-style").text


@pytest.mark.parametrize("name", profiles.names())
def test_every_value_has_a_source_and_the_kernel_exists(name: str) -> None:
    profile = profiles.load(name)
    for section, kind in (("identity", Badge), ("build", Construction), ("senses", Senses), ("timings", Timings)):
        for entry in fields(kind):
            assert len(profile.sources[f"{section}.{entry.name}"]) > 3
    for game in profile.games:
        assert profile.sources[f"games.{game.game}"]
        kernel_for(profile, game)


def test_three_card_poker_is_the_default_everywhere() -> None:
    for name in profiles.names():
        game = profiles.load(name).games[0]
        assert (game.cards_per_group, game.dealer_cards, game.dealer_first) == (3, 3, False)


def test_the_four_kinds_of_device_differ_where_they_should() -> None:
    plain, plus, ace, shoe = map(profiles.load, ("i-deal-style", "i-deal-plus-style", "ace-style", "dealing-shoe"))
    assert plain.senses.reads_faces
    assert not plain.senses.sees_backs
    assert plus.senses.sees_backs
    assert plus.timings.shuffle_card_us < plain.timings.shuffle_card_us
    assert not ace.senses.reads_faces
    assert ace.build.kernel_parameters["order"] == "feed"
    assert ace.senses.commits.name == "SLOTS"
    assert shoe.is_shoe
    assert shoe.senses.commits.name == "NOTHING"


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("[senses]", "[sensors]", "lacks 'senses'"),
        ("reads_faces ", "reads_minds ", "senses lacks 'reads_faces'"),
        ('reads_faces = { value = true, source = "', 'reads_faces = { value = true, x = "', "faces lacks 'source'"),
        ("reads_faces = { value = true", "reads_faces = { value = 1", "faces.value must be true or false, not 1"),
        ('value = "order"', 'value = "chaos"', "must be one of nothing, order, slots"),
        ("verify_us       = { value = 400000", "verify_us       = { value = -1", "whole number from 0 to"),
        ("deck_cards = 52", "deck_cards = 5", "needs 24 cards of a deck of 5"),
        ("game = 2\n", "game = 1\n", "a number of its own for each game"),
        ("dealer_first = true\n", "", "lacks 'dealer_first'"),
        ("describes =", "describes", "not valid TOML"),
        ("lacks = { value = {}", "lacks = { value = { Dance = 'no' }", "names 'Dance', which is no command of a table"),
        ("lacks = { value = {}", "lacks = { value = { Sort = '' }", "lacks.Sort is a text of 1 to 120 characters"),
        ("reads_faces = { value = true", "reads_faces = { value = false", "reads no faces commits to slots, or to"),
        ('commits     = { value = "order"', 'commits     = { value = "slots"', "reads faces commits to the order, or"),
        ("recall_rounds     = { value = 8", "recall_rounds     = { value = 0", "rounds can't do RecallHand"),
    ],
)
def test_what_can_not_be_is_refused_by_name(old: str, new: str, says: str) -> None:
    assert old in GOOD
    with pytest.raises(BadProfile) as refused:
        parse("test", GOOD.replace(old, new))
    assert says in str(refused.value)


@pytest.mark.parametrize("line", ["model ", "kernel ", "sees_double ", "recover_us "])
def test_a_missing_value_is_named(line: str) -> None:
    text = "\n".join(row for row in GOOD.splitlines() if not row.startswith(line))
    with pytest.raises(BadProfile, match=f"lacks .*{line.strip()}"):
        parse("test", text)


def test_a_missing_section_is_named() -> None:
    with pytest.raises(BadProfile, match="lacks 'games'"):
        parse("test", GOOD.split("[[games]]")[0])


def test_a_file_of_ones_own_is_read_and_a_missing_one_names_those_there_are(tmp_path: Path) -> None:
    own = tmp_path / "mine.toml"
    own.write_text(GOOD, encoding="utf-8")
    assert profiles.load(str(own)).name == "mine"
    with pytest.raises(BadProfile, match="there are ace-style"):
        profiles.load(str(tmp_path / "none.toml"))


def test_a_device_that_reads_no_faces_must_say_what_it_can_not_do() -> None:
    text = GOOD.replace("reads_faces = { value = true", "reads_faces = { value = false").replace('"order"', '"slots"')
    with pytest.raises(BadProfile, match="a device that reads no faces can't do Sort"):
        parse("test", text)


def test_a_shoe_commits_to_nothing_and_does_not_shuffle() -> None:
    shoe = profiles.load("dealing-shoe").text
    with pytest.raises(BadProfile, match="a shoe learns its cards as they are drawn and commits to nothing"):
        parse("test", shoe.replace('value = "nothing"', 'value = "order"'))
    with pytest.raises(BadProfile, match="a shoe can't do Shuffle"):
        parse("test", shoe.replace("\nShuffle ", "\nLoad "))


def test_a_reader_without_a_commitment_names_its_cards_and_finds_what_is_wrong_with_them() -> None:
    made = parse("test", GOOD.replace('value = "order"', 'value = "nothing"'))
    device = Bare(made)
    controller = Controller(device.do, groups=1)
    while device.firmware.deal.kept.group < 2:
        if not controller.act():
            device.step()
    hand = next(event for event in device.events.after(0) if isinstance(event, m.GroupRemoved))
    assert (len(hand.opening.cards), hand.opening.proof) == (3, b"")
    device.control.inject("swapped_card", face=hand.opening.cards[0])
    controller.act()
    misdealt = device.run_until(m.Misdealt)
    assert isinstance(misdealt, m.Misdealt)
    assert misdealt.reason is MisdealReason.DUPLICATE_CARD
