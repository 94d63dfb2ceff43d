"""Certificates: sealed, signed, checked; a report changed in any way is found out."""

import contextlib
import json
import re
import subprocess
import tempfile
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from certificate_record import a_record
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from hypothesis import given, settings
from hypothesis import strategies as st

from randomness.certification.errors import ReportError
from randomness.decks.judges import base as judges_of_decks
from randomness.draws import judging as judging_of_draws
from shuffler.lab.certificate import sealing
from shuffler.lab.certificate.page import page
from shuffler.lab.certificate.sealing import BLANKS, as_csv, canonical, check, load_key, sealed, write

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
OTHER = Ed25519PrivateKey.from_private_bytes(bytes(range(1, 33)))


def pem(key: Ed25519PrivateKey, path: Path) -> Path:
    path.write_bytes(key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    return path


@pytest.fixture(params=["html", "json"])
def report(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / f"report.{request.param}"
    write(a_record(), KEY, **{f"{request.param}_file": path})
    return path


def test_a_signed_report_is_good_and_says_whose_it_is(report: Path, tmp_path: Path) -> None:
    assert check(report).good
    mine = check(report, pem(KEY, tmp_path / "lab.pem"))
    assert mine.good
    assert mine.said[-1] == "signed by the given key"


def test_another_laboratorys_signature_is_not_ours(report: Path, tmp_path: Path) -> None:
    checked = check(report, pem(OTHER, tmp_path / "other.pem"))
    assert not checked.good
    assert "ANOTHER" in checked.said[-1]


@pytest.mark.parametrize(("old", "new"), [("quick", "quack"), ("Q♥ at ", "Q♠ at "), ("0.0005", "0.5005")])
def test_a_changed_report_is_found_out(old: str, new: str, report: Path) -> None:
    text = report.read_text(encoding="utf-8")
    assert old in text
    report.write_text(text.replace(old, new, 1), encoding="utf-8", newline="")
    assert not check(report).good


def test_the_visible_verdict_alone_can_not_be_changed(tmp_path: Path) -> None:
    path = tmp_path / "r.html"
    write(a_record(), None, html_file=path)
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("<b>FAILED</b>", "<b>PASSED</b>"), encoding="utf-8", newline="")
    assert check(path).said == ("CHANGED: the page is not as it was written",)


def test_a_record_sealed_again_by_someone_else_does_not_keep_the_signature(tmp_path: Path) -> None:
    whole = sealed(a_record(), KEY)
    forged = {**whole, "verdict": {**whole["verdict"], "passed": True}}
    import hashlib

    forged["seal"] = {**whole["seal"], "sha256": hashlib.sha256(canonical(forged)).hexdigest()}
    path = tmp_path / "f.json"
    path.write_text(json.dumps(forged, indent=1, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")
    assert check(path).said[-1] == "BAD SIGNATURE"


def test_an_unsigned_report_says_so_and_is_not_good_where_a_key_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    write(a_record(), None, json_file=path)
    assert "not signed" in check(path).said[-1]
    assert not check(path, pem(KEY, tmp_path / "k.pem")).good


def test_what_is_no_report(tmp_path: Path) -> None:
    for name, said in (("a", b"hello"), ("b", b"{}"), ("c", b"\xff\xfe")):
        (tmp_path / name).write_bytes(said)
        with pytest.raises(ReportError, match="no report"):
            check(tmp_path / name)
    with pytest.raises(ReportError, match="can't read"):
        check(tmp_path / "none")


def test_keys(tmp_path: Path) -> None:
    good, wrong = tmp_path / "good.pem", tmp_path / "wrong.pem"
    good.write_bytes(KEY.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    wrong.write_bytes(
        generate_private_key(SECP256R1()).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    )
    assert load_key(good).public_key() == KEY.public_key()
    with pytest.raises(ReportError, match="not an Ed25519 key"):
        load_key(wrong)
    with pytest.raises(ReportError, match="can't read"):
        load_key(tmp_path / "none")
    write(a_record(), None, json_file=tmp_path / "r.json")
    with pytest.raises(ReportError, match="no public key"):
        check(tmp_path / "r.json", good)


def test_csv_has_a_line_for_each_test() -> None:
    lines = as_csv(a_record()).splitlines()
    assert lines[0].startswith("section,test,")
    assert lines[1].startswith("factory,each-cell,")
    assert len(lines) == 1 + len(a_record()["results"])


# ----- the page -------------------------------------------------------------------------------------------------------


class Tags(HTMLParser):
    """Checks that elements nest, and gathers what could reach outside."""

    VOID = frozenset({"meta", "col"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.outside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        self.outside += [
            name for name, value in attrs
            if name in ("src", "onclick", "onload") or (name == "href" and not (value or "").startswith("#"))
        ]  # fmt: skip
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_one_well_formed_file_that_fetches_nothing() -> None:
    text = page(sealed(a_record(), KEY))
    tags = Tags()
    tags.feed(text)
    assert not tags.open
    assert not tags.outside
    assert "url(" not in text
    assert "@import" not in text
    assert tags.seen.count("script") == 1
    assert tags.seen.count("svg") == 4


def test_nothing_in_a_record_can_break_out_of_the_page() -> None:
    record = sealed(a_record(), None)
    text = page(record)
    assert "</script><b>" not in text
    assert "Q♥ at &lt;position&gt; 7" in text
    start = text.index('id="record">') + len('id="record">')
    assert json.loads(text[start : text.index("</script>", start)]) == record


def test_a_rejected_test_is_marked_and_a_test_run_says_so() -> None:
    text = page(sealed(a_record(), None))
    assert '<td class="n bad">0.0010</td>' in text
    assert "Test run: decks marked as rigged or seeded were counted." in text
    assert "36 positions at 99 % each would fail an ideal device 30% of the time" in text


def test_bits_controls_hints_and_outside_verdicts_stand_in_the_report() -> None:
    text = page(sealed(a_record(), None))
    assert "Note: numbered from &lt;1&gt;." in text
    assert "Lab &amp; &lt;Sons&gt;" in text
    assert "2 sequences of 100 bits: the &lt;generator&gt;." in text
    assert "not tested: too short" in text
    assert "&lt;shelf&gt;" in text
    assert '<td class="bad">NOT FOUND</td>' in text
    assert "1 of 2 planted defects found" in text
    assert "ent/mean" in text


def test_what_a_run_has_not_is_left_out_and_the_sections_are_numbered_without_a_gap() -> None:
    whole = page(sealed(a_record(), None))
    nothing = {"bits": None, "controls": [], "outside": [], "where_to_look": [], "power": []}
    bare = page(sealed(a_record() | nothing, None))
    for anchor in ("bits", "controls", "outside", "places", "power"):
        assert f'<section id="{anchor}">' in whole
        assert f'<section id="{anchor}">' not in bare
        assert f'href="#{anchor}"' not in bare
    for text in (whole, bare):
        found = re.findall(r"<h2><span>(\d+)</span>", text)
        assert found == [str(n) for n in range(1, len(found) + 1)]
        assert re.findall(r'<section id="(\w+)">', text) == re.findall(r'<a href="#(\w+)">', text)


def test_every_report_has_a_name_of_its_own_at_the_foot_of_each_page() -> None:
    record = sealed(a_record(), None)
    digest = record["seal"]["sha256"]
    name = f"{digest[:4]}-{digest[4:8]}-{digest[8:12]}"
    text = page(record)
    assert f'content: "Shuffle certification {name} – FAILED"' in text
    assert f"<title>Shuffle certification {name}: FAILED</title>" in text
    record["seal"]["sha256"] = '"; } body { display: none } </style>'
    assert "display: none }" not in page(record).partition("</style>")[0]


@pytest.mark.parametrize("key", [None, KEY])
def test_a_report_of_another_version_of_the_page_is_still_intact(
    key: Ed25519PrivateKey | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Checking draws nothing: a later program that would draw another page can check this one."""
    path = tmp_path / "r.html"
    write(a_record(), key, html_file=path)
    monkeypatch.setattr(sealing, "page", lambda _record: "something else")
    assert check(path).good


PAGE_TEXT = page(sealed(a_record(), KEY))


@given(at=st.integers(0, len(PAGE_TEXT) - 1), what=st.characters(codec="utf-8"))
@settings(max_examples=200)
def test_a_page_changed_in_any_one_character_is_found_out(at: int, what: str) -> None:
    if what == PAGE_TEXT[at]:
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "r.html"
        path.write_text(PAGE_TEXT[:at] + what + PAGE_TEXT[at + 1 :], encoding="utf-8", newline="")
        with contextlib.suppress(ReportError):
            assert not check(path).good


@pytest.mark.parametrize("name", list(BLANKS))
def test_a_seal_blotted_out_on_the_page_is_found_out(name: str, tmp_path: Path) -> None:
    record = sealed(a_record(), KEY)
    shown, script, rest = page(record).partition("<script")
    path = tmp_path / "r.html"
    path.write_text(shown.replace(record["seal"][name], BLANKS[name]) + script + rest, encoding="utf-8", newline="")
    assert check(path).said == ("CHANGED: the page is not as it was written",)


def test_intervals_of_effects_are_called_what_they_are() -> None:
    assert judges_of_decks.CONFIDENCE == judging_of_draws.CONFIDENCE == 0.99
    assert "effect, 99 % interval" in page(sealed(a_record(), None))


def test_the_page_lists_what_was_tested_on_a_sub_sample() -> None:
    record = a_record()
    record["sample"]["sections"]["factory"]["sub_samples"] = [
        {"share": "1 in 8", "of": "decks", "counted": 1_250_000, "tests": ["card-distances"]},
        {"share": "1 in 16", "of": "first cards", "counted": 625_000, "tests": ["gap", "poker"]},
    ]
    shown = page(sealed(record, None))
    assert shown.count('<th scope="row">sub-sample, factory</th>') == 2
    assert "1,250,000 decks (1 in 8 segments)<small>card-distances</small>" in shown
    assert "625,000 first cards (1 in 16 segments)<small>gap, poker</small>" in shown


KEYS = st.text(max_size=8) | st.just("device")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)


@given(provenance=st.dictionaries(KEYS, JSON, max_size=4), more=JSON)
@settings(max_examples=60)
def test_whatever_a_record_says_of_its_provenance_the_page_is_well_formed(provenance: Any, more: Any) -> None:
    record = a_record()
    record["subject"] |= {"provenance": provenance, "provenance_continued": [more]}
    tags = Tags()
    tags.feed(page(sealed(record, None)))
    assert not tags.open
    assert not tags.outside


# ----- in a browser ---------------------------------------------------------------------------------------------------


def in_chromium(path: Path, profile: Path) -> tuple[list[str], list[str], str]:
    """What a page says on the console, what it asks the network for, and its document."""
    log = profile / "net.json"
    done = subprocess.run(
        ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--disable-extensions", f"--user-data-dir={profile}",
         "--host-resolver-rules=MAP * ~NOTFOUND", "--enable-logging=stderr", f"--log-net-log={log}", "--dump-dom",
         path.as_uri()],
        capture_output=True, timeout=120, check=True,
    )  # fmt: skip
    console = [line for line in done.stderr.decode("utf-8", "replace").splitlines() if "CONSOLE" in line]
    asked = set(re.findall(r'"url":"(https?://[^/"]*)', log.read_text(errors="replace")))
    return console, [url for url in asked if not re.search(r"\.google(apis)?\.com$", url)], done.stdout.decode()


@pytest.mark.slow
@pytest.mark.needs("chromium")
def test_a_browser_has_nothing_to_complain_of_and_nothing_to_fetch(tmp_path: Path) -> None:
    text = page(sealed(a_record(), KEY))
    good, bad = tmp_path / "good.html", tmp_path / "bad.html"
    good.write_text(text, encoding="utf-8")
    planted = '<script>nonsense()</script><img src="http://127.0.0.1:9/x"><nav '
    bad.write_text(text.replace("<nav ", planted), encoding="utf-8")
    console, asked, dom = in_chromium(good, tmp_path / "one")
    assert (console, asked) == ([], [])
    assert dom.count("<svg") == text.count("<svg")
    console, asked, _ = in_chromium(bad, tmp_path / "two")  # the check can fail
    assert asked == ["http://127.0.0.1:9"]
    assert any("nonsense" in line for line in console)
