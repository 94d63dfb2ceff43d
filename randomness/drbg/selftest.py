"""Known-answer tests at power-up (SP 800-90A 11.3): each mechanism against published answers before its first use."""

from collections.abc import Callable
from dataclasses import dataclass

from randomness.drbg.ctr import CtrDfMechanism, CtrMechanism
from randomness.drbg.hmac import HmacMechanism
from randomness.drbg.mechanism import SLACK, DrbgMechanism
from randomness.errors import SelfTestFailure


@dataclass(frozen=True, kw_only=True)
class KnownAnswer:
    """One vector of NIST's CAVP: instantiate, [reseed,] generate and discard, generate and compare.

    With prediction resistance (`fresh` given) each generate reseeds first, with its additional input (9.3.1 step 7).
    """

    source: str
    entropy: str
    nonce: str = ""
    personalization: str = ""
    reseed: str = ""
    reseed_input: str = ""
    additional: tuple[str, str] = ("", "")
    fresh: tuple[str, str] | None = None
    output: str


CTR_NO_DF = (
    KnownAnswer(
        source="NIST CAVS drbgtestvectors, CTR_DRBG AES-256 no df, with reseed, no additional input, count 0",
        entropy="e4bc23c5089a19d86f4119cb3fa08c0a4991e0a1def17e101e4c14d9c323460a7c2fb58e0b086c6c57b55f56cae25bad",
        reseed="fd85a836bba85019881e8c6bad23c9061adc75477659acaea8e4a01dfe07a1832dad1c136f59d70f8653a5dc118663d6",
        output="b2cb8905c05e5950ca31895096be29ea3d5a3b82b269495554eb80fe07de43e1"
        "93b9e7c3ece73b80e062b1c1f68202fbb1c52a040ea2478864295282234aaada",
    ),
    KnownAnswer(
        source="NIST CAVS drbgtestvectors, CTR_DRBG AES-256 no df, reseed, personalisation, additional input, count 0",
        entropy="ae7ebe062971f5eb32e5b21444750785de816595ad2cbe80a209c8f8ab04b5468166de8c6ae522d8f10b56386a3b424f",
        personalization="55860dae57fcac297087c137efb796878a75868f6e7681114e9b73ed0c67e3c62bfc9f5d77e8caa59bcdb223f4ffd247",
        reseed="a42407931bfeca70e6ee5dd197021a129525051c07468e8b25587c5ad50abe9204e882fe847b8fd47cf7b4360e5aa034",
        reseed_input="ee4c88d1eb05f4853663eada501d2fc4b4984b283a88db579af2113031e03d9bc570de943dd168918f3ba8065581fea7",
        additional=(
            "4b4b03ef19b0f259dca2b3ee3ae4cd86c3895a784b3d8eee043a2003c08289f8fffdad141e6b1ab2174d8d5d79c1e581",
            "3062b33f116b46e20fe3c354726ae9b2a3a4c51922c8107863cb86f1f0bdad7554075659d91c371e2b11b1e8106a1ed5",
        ),
        output="0d270518baeafac160ff1cb28c11ef68712c764c0c01674e6c9ca2cc9c7e0e8a"
        "ccfd3c753635ee070081eee7628af6187fbc2854b3c204461a796cf3f3fcb092",
    ),
)

CTR_DF = (
    KnownAnswer(
        source="NIST CAVS, CTR_DRBG AES-256 use df, prediction resistance, count 0 (as carried by Mbed TLS)",
        entropy="c18081a65d44021619b3f180b1c920026a546f0c7081498b6ea662526d51b1cb",
        nonce="d254fcff021e69d229c9cfad85fa486c",
        fresh=(
            "583bfad5375ffbc9ff46d219c7223e95459d82e1e7229f633169d26b57474fa3",
            "37c9981c0bfb91314d55b9e91c5a5ee49392cfc52312d5562c4a6effdc10d068",
        ),
        output="34011656b429008f3563ecb5f2590723",
    ),
    KnownAnswer(
        source="NIST CAVS, CTR_DRBG AES-256 use df, prediction resistance and additional input, count 0 (Mbed TLS)",
        entropy="82c80d922c47bbec0f664dd623e22a11a3b84d308351e45e30ee286e89547d22",
        nonce="14051b57277bc3d3bbae51bdecfb9f5d",
        fresh=(
            "c43e17b3ca0fa08f77eef1001ba696932e9ee890e7aac4661c138e5b5ce36773",
            "d3120c35f8c94e0a78ffbf407a63ca435392e17c07461522fdc1f63f037aacff",
        ),
        additional=(
            "b70e7c1c4b8e0f1770e05b29a93f9d7a6540f23ab84136b05b161d85e5f19251",
            "5a737c128bd69f927f8f3ad68f93f6356d5f4ec0e36b6b50ced43dcd5c44dbc2",
        ),
        output="a4e6c754194a09614994b36ecce33b55",
    ),
    KnownAnswer(
        source="NIST CAVS, CTR_DRBG AES-256 use df, prediction resistance, personalisation, count 0 (Mbed TLS)",
        entropy="545a783ae97d827ed0b81d9752ad0f7e965f511b1f5dae0f872e9ec37cfe63af",
        nonce="e09f65dcffc0d3a4d84bacc41617a4e4",
        personalization="6ce5184eca011049ab657566f728e4aa28315ffac166ebe50e1269b01c95b3a2",
        fresh=(
            "86c1d15e153887989b605773b16ad5505e65f617cfa8ef46547c4c3f9d0c4fd0",
            "b6e1cff5ca0f1929266fe43ba8f45ad664cfe5e90903a9cb722b42ae8989c148",
        ),
        output="1e77d7cc18775fef9a3d3e00903da01b",
    ),
)

HMAC_SHA256 = (
    KnownAnswer(
        source="NIST CAVS 14.3, HMAC_DRBG SHA-256, with reseed, count 0",
        entropy="06032cd5eed33f39265f49ecb142c511da9aff2af71203bffaf34a9ca5bd9c0d",
        nonce="0e66f71edc43e42a45ad3c6fc6cdc4df",
        reseed="01920a4e669ed3a85ae8a33b35a74ad7fb2a6bb4cf395ce00334a9c9a5a5d552",
        output="76fc79fe9b50beccc991a11b5635783a83536add03c157fb30645e611c2898bb"
        "2b1bc215000209208cd506cb28da2a51bdb03826aaf2bd2335d576d519160842"
        "e7158ad0949d1a9ec3e66ea1b1a064b005de914eac2e9d4f2d72a8616a802254"
        "22918250ff66a41bd2f864a6a38cc5b6499dc43f7f2bd09e1e0f8f5885935124",
    ),
    KnownAnswer(
        source="NIST CAVS 14.3, HMAC_DRBG SHA-256, prediction resistance, personalisation, additional input, count 3 "
        "(as carried by Mbed TLS)",
        entropy="0a13da2edd9ed097631860dc29cb2d7eff3519910808e7eb0c6ff1485cdf758d",
        nonce="9793ca69779117a63a47e386433f18b8",
        personalization="48445b1b6807b261d10569ab4b5d8ab5d97ebd3d9e8194088b10463abf11a2df",
        fresh=(
            "82ea8c8d3179dcc1b263fb263bdbf2ab818775a881964a5690a6e9af592db594",
            "a39a960e343bd4edb7747d75866e1ca7125797d2bf6a644aed6e3c8443f94274",
        ),
        additional=(
            "6b742d07c45a031795a7771eace89fab782eff6a74555fc2eabba00d1d7b7c15",
            "cd0493aa84c941c1b7fce37d2e38c199fb8c86ea0c5b6a536118ae423ca7ab50",
        ),
        output="fa005c9119a898f2fea35b805a2bd8be88c48cbdaa8582337f1f407ce3e49dee"
        "8011bb1e4ae33317ca6d5cb645687a62aed86d5803583a012d96b82e7bbfbebf"
        "59fdfc1db0a92586a843f6e57056f49726e89bf98b641ea60a3c91815edbaf41"
        "5b2c4eb7bb8c56ca5d84a3587c64a945a6e3d625b6763084c2a0917de6bd6746",
    ),
)

KNOWN_ANSWERS: dict[str, tuple[KnownAnswer, ...]] = {
    CtrMechanism.name: CTR_NO_DF,
    CtrDfMechanism.name: CTR_DF,
    HmacMechanism.name: HMAC_SHA256,
}

_passed: set[Callable[[], DrbgMechanism]] = set()


def answer(mechanism: DrbgMechanism, vector: KnownAnswer) -> bytes:
    """What the mechanism gives for one vector."""
    n = len(vector.output) // 2
    buffer = memoryview(bytearray(n + SLACK))
    mechanism.instantiate(
        bytes.fromhex(vector.entropy), bytes.fromhex(vector.nonce), bytes.fromhex(vector.personalization)
    )
    if vector.reseed:
        mechanism.reseed(bytes.fromhex(vector.reseed), bytes.fromhex(vector.reseed_input))
    for turn in (0, 1):
        additional = bytes.fromhex(vector.additional[turn])
        if vector.fresh is not None:
            mechanism.reseed(bytes.fromhex(vector.fresh[turn]), additional)
            additional = b""
        mechanism.generate_into(buffer, n, additional)
    return bytes(buffer[:n])


def power_up_self_test(mechanism: Callable[[], DrbgMechanism], *, again: bool = False) -> int:
    """Run the known-answer tests of one mechanism, once a process unless `again`; how many vectors it has."""
    name = mechanism().name
    vectors = KNOWN_ANSWERS.get(name)
    if vectors is None:
        raise SelfTestFailure(f"there are no known answers for {name}")
    if again or mechanism not in _passed:
        for vector in vectors:
            if answer(mechanism(), vector) != bytes.fromhex(vector.output):
                _passed.discard(mechanism)
                raise SelfTestFailure(f"{name} gave a wrong answer to: {vector.source}")
        _passed.add(mechanism)
    return len(vectors)
