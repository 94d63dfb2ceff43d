"""The house's part of a rule file: what the operator of one table chooses, inside what the rules offer and fix."""

from collections.abc import Mapping

from round_engine.money import Cents, dollars
from round_engine.rules.document import RuleSection
from round_engine.rules.ruleset import Dealing, House, Limit, Paytable, ProgressiveRules, WagerName
from round_engine.wagers.registry import METERED, PLACED, TABLED, WAGERS

MOST_SEATS = 16  # (16 players + the dealer) × 3 cards are 51 of 52
LIMITED = tuple(wager for wager in PLACED if not wager.is_metered and wager.posted_as == wager.name)


def parse_limits(section: RuleSection) -> dict[WagerName, Limit]:
    limits: dict[WagerName, Limit] = {}
    for wager in LIMITED:
        if wager.name not in section.left and not wager.is_initial:
            continue
        inner = section.section(wager.name)
        limit = Limit(minimum=_limit_end(inner, "minimum"), maximum=_limit_end(inner, "maximum"))
        inner.text("clause")
        inner.finish()
        _check_limit(inner, limit)
        limits[wager.name] = limit
    section.finish()
    return limits


def _limit_end(section: RuleSection, key: str) -> Cents | None:
    if section.left.get(key) == "posted":
        section.take(key)
        return None
    return section.money(key)


def _check_limit(section: RuleSection, limit: Limit) -> None:
    if limit.minimum is not None and limit.maximum is not None and limit.minimum > limit.maximum:
        section.refuse(f"{section.title}: the minimum is above the maximum", "minimum")
    if limit.maximum == 0:
        section.refuse(f"{section.title}: a maximum of $0 allows no wager", "maximum")


def parse_house(
    section: RuleSection,
    *,
    paytables: Mapping[WagerName, Mapping[str, Paytable]],
    designators: Mapping[str, Mapping[WagerName, str]],
    systems: Mapping[WagerName, Mapping[str, ProgressiveRules]],
    dealing: tuple[Dealing, ...],
    most_spots: int,
    fixed_limits: Mapping[WagerName, Limit],
) -> House:
    seats = section.whole("seats", 1, MOST_SEATS)
    spots = section.whole("spots_per_player", 1, most_spots)
    mandatory = section.flag("ante_mandatory")
    way: Dealing = "groups" if section.choice("dealing", dealing) == "groups" else "rotation"
    chosen = _chosen_paytables(section.section("paytables"), paytables)
    if "designator" in section.left:
        chosen.update(designators[section.choice("designator", designators)])
    picked = _chosen_systems(section, chosen, systems)
    limits = _posted_limits(section.section("limits"), fixed_limits) if "limits" in section.left else dict(fixed_limits)
    ceiling = section.money("limit_ceiling") if "limit_ceiling" in section.left else None
    section.finish()
    for wager, limit in limits.items():
        if ceiling is not None and max(limit.minimum or 0, limit.maximum or 0) > ceiling:
            section.refuse(f"the {wager} limits exceed the ceiling", "limit_ceiling")
    return House(
        seats=seats,
        spots_per_player=spots,
        ante_mandatory=mandatory,
        dealing=way,
        paytables=chosen,
        systems=picked,
        limits=limits,
        limit_ceiling=ceiling,
    )


def _chosen_paytables(
    section: RuleSection, paytables: Mapping[WagerName, Mapping[str, Paytable]]
) -> dict[WagerName, str]:
    chosen: dict[WagerName, str] = {}
    for wager in TABLED:
        unstated = None if WAGERS[wager].is_stated else "none"
        if section.left.get(wager, unstated) == "none":
            section.left.pop(wager, None)
        elif wager not in paytables:
            section.refuse(f"{section.title}.{wager} is chosen, but there is no table of it", wager)
        else:
            chosen[wager] = section.choice(wager, paytables[wager])
    section.finish()
    return chosen


def _chosen_systems(
    section: RuleSection, chosen: Mapping[WagerName, str], systems: Mapping[WagerName, Mapping[str, ProgressiveRules]]
) -> dict[WagerName, str]:
    wanted = [wager for wager in METERED if wager in chosen]
    if not wanted and "systems" not in section.left:
        return {}
    inner = section.section("systems")
    picked: dict[WagerName, str] = {}
    for wager in METERED:
        if wager in chosen and wager not in systems:
            section.refuse(f"{wager} is on the layout, but there is no [{wager}] section", "systems")
        if wager in systems and (wager in chosen or wager in inner.left):
            picked[wager] = inner.choice(wager, systems[wager])
    inner.finish()
    return picked


def _posted_limits(section: RuleSection, fixed: Mapping[WagerName, Limit]) -> dict[WagerName, Limit]:
    """What the house posts, inside what the document fixes."""
    limits = dict(fixed)
    for wager in fixed:
        if wager not in section.left:
            continue
        inner = section.section(wager)
        low = inner.money("minimum") if "minimum" in inner.left else fixed[wager].minimum
        high = inner.money("maximum") if "maximum" in inner.left else fixed[wager].maximum
        inner.finish()
        floor, top = fixed[wager].minimum, fixed[wager].maximum
        if floor is not None and (low or 0) < floor:
            inner.refuse(f"{inner.title}: the rules fix a minimum of {dollars(floor)}", "minimum")
        if top is not None and (high is None or high > top):
            inner.refuse(f"{inner.title}: the rules fix a maximum of {dollars(top)}", "maximum")
        limit = Limit(minimum=low, maximum=high)
        _check_limit(inner, limit)
        limits[wager] = limit
    section.finish()
    return limits
