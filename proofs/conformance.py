"""Proof: the conformance suites pass our device and our host, catch and name every broken one, and cry wolf never.

Broken devices and hosts are those of `broken_devices` and `broken_hosts`, each with one rule broken. Over a cable that
loses, doubles, corrupts, splits and delays a tenth of everything, no run may find a rule broken that is not. All in
virtual time. `make proof-conformance`.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from random import Random

from firmware_sim.machine.profile import load
from firmware_sim.unit.emulator import Build, Emulator
from proofs import evidence
from proofs.broken_devices import BROKEN_DEVICES, KEY
from proofs.broken_hosts import BROKEN_HOSTS
from proofs.playing_host import watched
from shuffler.kit.conformance.controller.suite import CHECKS as CONTROLLER_CHECKS
from shuffler.kit.conformance.controller.suite import judge
from shuffler.kit.conformance.device.bench import SuiteBench
from shuffler.kit.conformance.device.suite import CHECKS as DEVICE_CHECKS
from shuffler.kit.conformance.device.suite import run
from shuffler.kit.conformance.device.talk import FrameLine
from shuffler.kit.conformance.verdict import RuleFinding, RuleVerdict, failed
from shuffler.kit.conformance.virtual import VirtualWire
from shuffler.virtual.bench import BadCable, DeviceEnd

RUNS = 1000
BAD = BadCable(lose=0.1, duplicate=0.1, corrupt=0.1, split=0.1, delay=0.1)
GOOD_JITTER_US, BAD_JITTER_US = 5_000, 400_000


def our_device(key: bytes | None = None) -> DeviceEnd:
    """The product's own."""
    return Emulator(Build(profile=load("i-deal-style"), serial="CONFORMS", seed=1, session_seed=1, key=key))


def check_device(
    device: DeviceEnd, *, seed: int = 1, cable: BadCable | None = None, key: bytes | None = None,
    only: frozenset[str] = frozenset(),
) -> list[RuleFinding]:  # fmt: skip
    """The device suite in virtual time."""
    jitter = GOOD_JITTER_US if cable is None else BAD_JITTER_US
    bench = SuiteBench(FrameLine(VirtualWire(device, cable, seed)), Random(seed).randbytes, key, jitter_us=jitter)
    return list(run(bench, only))


def over_a_bad_cable(seed: int) -> list[str]:
    """What the suites say of our own device or host over a bad cable: odd seeds a host, every tenth with a key."""
    key = KEY if seed % 10 == 0 else None
    if seed % 2:
        return failed(judge(watched(seed=seed, cable=BAD, key=key)))
    return failed(check_device(our_device(key), seed=seed, cable=BAD, key=key))


def caught_device(number: int, *, whole: bool) -> list[str]:
    """The rules that the suite finds broken in a broken device."""
    broken = BROKEN_DEVICES[number]
    only = frozenset() if whole else frozenset({broken.rule})
    return failed(check_device(broken.build(), key=KEY if broken.secure else None, only=only))


def caught_host(number: int) -> list[str]:
    """The rules that the watching device finds broken in a broken host."""
    return failed(judge(watched(BROKEN_HOSTS[number].make)))


def report(
    false: Sequence[list[str]], devices: Sequence[list[str]], hosts: Sequence[list[str]], seconds: float
) -> str:  # fmt: skip
    """The record's body."""
    verdicts = Counter(one.verdict for one in check_device(our_device()))
    mutants = [
        *((one.rule, "device", one.how, named) for one, named in zip(BROKEN_DEVICES, devices, strict=True)),
        *((one.rule, "host", one.how, named) for one, named in zip(BROKEN_HOSTS, hosts, strict=True)),
    ]
    missed = [row for row in mutants if row[0] not in row[3]]
    rows = [f"| {rule} | {who} | {how} | {', '.join(named)} |" for rule, who, how, named in mutants]
    return "\n".join(
        [
            __doc__.partition("\n\n")[0],
            "",
            f"Checks: {len(DEVICE_CHECKS)} rules of devices, {len(CONTROLLER_CHECKS)} of controllers. Our device over a"
            f" good line: {verdicts[RuleVerdict.PASSED]} passed, {verdicts[RuleVerdict.FAILED]} failed,"
            f" {verdicts[RuleVerdict.NOT_APPLICABLE]} do not apply (no key).",
            "",
            f"{len(false):,} runs over the bad cable, half of them with our device and half with our host, every tenth"
            f" with a key: {sum(map(bool, false))} false findings {sorted({rule for one in false for rule in one})}.",
            "",
            f"{len(mutants)} mutants, {len(missed)} missed.",
            "",
            "| broken rule | in a | how | rules found broken |",
            "|---|---|---|---|",
            *rows,
            "",
            f"{seconds:,.0f} s.",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Our ends conform, broken ones are caught, a bad cable is no finding.")
    parser.add_argument("--runs", type=int, default=RUNS, help="over the bad cable")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    arguments = parser.parse_args()
    begun = time.perf_counter()
    with ProcessPoolExecutor(arguments.jobs) as pool:
        devices = list(pool.map(partial(caught_device, whole=True), range(len(BROKEN_DEVICES))))
        hosts = list(pool.map(caught_host, range(len(BROKEN_HOSTS))))
        false = list(pool.map(over_a_bad_cable, range(1, arguments.runs + 1), chunksize=10))
    ours = failed([*check_device(our_device()), *check_device(our_device(KEY), key=KEY), *judge(watched())])
    body = report(false, devices, hosts, time.perf_counter() - begun)
    command = f"python -m proofs.conformance --runs {arguments.runs}"
    evidence.record("conformance", command=command, seed=f"1 to {arguments.runs}", body=body)
    missed = [one.rule for one, named in zip(BROKEN_DEVICES, devices, strict=True) if one.rule not in named]
    missed += [one.rule for one, named in zip(BROKEN_HOSTS, hosts, strict=True) if one.rule not in named]
    if ours or missed or any(false):
        print(f"NOT PROVED: our own broke {ours}, missed {missed}, false {[one for one in false if one][:10]}")
        sys.exit(1)


if __name__ == "__main__":
    main()
