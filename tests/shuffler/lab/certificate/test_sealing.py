"""Certificates: sealed, signed, checked; a report changed in any way is found out."""

import contextlib
import json
import re
import subprocess
import tempfile
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec
import pytest
from certificate_record import a_record
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from randomness.certification import model as m
from randomness.certification.errors import ReportError
from randomness.decks.judges import base as judges_of_decks
from randomness.draws import judging as judging_of_draws
from shuffler.lab.certificate import sealing
from shuffler.lab.certificate.sealing import (
    Signer,
    as_csv,
    as_json,
    check,
    countersigned,
    load_key,
    record_digest,
    reseal,
    sealed,
    write,
)

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
OTHER = Ed25519PrivateKey.from_private_bytes(bytes(range(1, 33)))
AUTHOR, REVIEWER = Signer(key=KEY), Signer(key=OTHER, role="reviewer")


def page(record: m.RunRecord, *signers: Signer) -> str:
    return sealed(record, signers).html


def pem(key: Ed25519PrivateKey, path: Path) -> Path:
    path.write_bytes(key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    return path


@pytest.fixture(params=["html", "json"])
def report(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / f"report.{request.param}"
    write(a_record(), [AUTHOR], **{f"{request.param}_file": path})
    return path


def test_a_signed_report_is_good_and_says_whose_it_is(report: Path, tmp_path: Path) -> None:
    assert check(report).good
    mine = check(report, [pem(KEY, tmp_path / "lab.pem")])
    assert mine.good
    assert mine.said[-1] == "signed by the given key as author"


def test_another_laboratorys_signature_is_not_ours(report: Path, tmp_path: Path) -> None:
    checked = check(report, [pem(OTHER, tmp_path / "other.pem")])
    assert not checked.good
    assert "NOT SIGNED by the given key" in checked.said[-1]


@pytest.mark.parametrize(("old", "new"), [("quick", "quack"), ("Q♥ at ", "Q♠ at "), ("0.0005", "0.5005")])
def test_a_changed_report_is_found_out(old: str, new: str, report: Path) -> None:
    text = report.read_text(encoding="utf-8")
    assert old in text
    report.write_text(text.replace(old, new, 1), encoding="utf-8", newline="")
    with contextlib.suppress(ReportError):
        assert not check(report).good


def test_the_visible_verdict_alone_can_not_be_changed(tmp_path: Path) -> None:
    path = tmp_path / "r.html"
    write(a_record(), html_file=path)
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("<b>FAILED</b>", "<b>PASSED</b>"), encoding="utf-8", newline="")
    assert check(path).said == ("CHANGED: the page is not as it was written",)


def replaced(value: Any, **changes: Any) -> Any:
    return msgspec.structs.replace(value, **changes)


def test_a_record_sealed_again_by_someone_else_does_not_keep_the_signature(tmp_path: Path) -> None:
    whole = sealed(a_record(), [AUTHOR]).record
    forged = replaced(whole, verdict=replaced(whole.verdict, outcome="passed"))
    forged = replaced(forged, seal=replaced(whole.seal, record_sha256=record_digest(forged)))
    path = tmp_path / "f.json"
    path.write_text(as_json(forged), encoding="utf-8")
    assert check(path).said[-1] == "BAD SIGNATURE"


@pytest.mark.parametrize("signers", [(), (AUTHOR,)])
@pytest.mark.parametrize("where", ["", "seal", "verdict", "plan"])
def test_a_field_added_anywhere_is_found_out(where: str, signers: tuple[Signer, ...], tmp_path: Path) -> None:
    """An `approved_by` in the seal, or anywhere else, is no part of what was sealed."""
    said = json.loads(sealed(a_record(), signers).json)
    (said[where] if where else said)["approved_by"] = "the board"
    path = tmp_path / "f.json"
    path.write_text(json.dumps(said, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    if where == "plan":
        assert not check(path).good
    else:
        with pytest.raises(ReportError, match="approved_by"):
            check(path)


def test_a_role_changed_in_the_seal_is_found_out(tmp_path: Path) -> None:
    whole = sealed(a_record(), [AUTHOR]).record
    assert whole.seal is not None
    (one,) = whole.seal.signatures
    forged = replaced(whole, seal=replaced(whole.seal, signatures=(replaced(one, role="director"),)))
    path = tmp_path / "f.json"
    path.write_text(as_json(forged), encoding="utf-8")
    assert check(path).said[-1] == "BAD SIGNATURE"


def test_a_cover_with_blanks_is_not_signed(tmp_path: Path) -> None:
    blank = a_record(cover=m.Cover())
    with pytest.raises(ReportError, match="can't be signed: report, issued, laboratory, place, operator"):
        write(blank, [AUTHOR], json_file=tmp_path / "r.json")
    assert not (tmp_path / "r.json").exists()
    write(blank, json_file=tmp_path / "r.json", html_file=tmp_path / "r.html")
    assert "Draft: the cover has no report" in (tmp_path / "r.html").read_text(encoding="utf-8")
    with pytest.raises(ReportError, match="can't be signed"):
        reseal(tmp_path / "r.json", lambda record, seal: countersigned(record, seal, REVIEWER))


def test_a_second_signature_is_added_to_an_intact_report(report: Path, tmp_path: Path) -> None:
    lab, office = pem(KEY, tmp_path / "lab.pem"), pem(OTHER, tmp_path / "office.pem")
    assert not check(report, [lab, office]).good
    reseal(report, lambda record, seal: countersigned(record, seal, REVIEWER))
    checked = check(report, [lab, office])
    assert checked.good
    assert checked.said[1:] == ("signed by the given key as author", "signed by the given key as reviewer")
    with pytest.raises(ReportError, match="has signed the report already"):
        reseal(report, lambda record, seal: countersigned(record, seal, REVIEWER))
    report.write_text(report.read_text(encoding="utf-8").replace("one card", "two cards", 1), encoding="utf-8")
    with pytest.raises(ReportError, match="CHANGED"):
        reseal(report, lambda record, seal: countersigned(record, seal, REVIEWER))


def test_an_encrypted_key_needs_its_pass_phrase(tmp_path: Path) -> None:
    path = tmp_path / "k.pem"
    path.write_bytes(KEY.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"sun")))
    assert load_key(path, lambda: "sun").public_key() == KEY.public_key()
    with pytest.raises(ReportError, match="pass phrase is wrong"):
        load_key(path, lambda: "moon")
    with pytest.raises(ReportError, match="is encrypted: give its pass phrase"):
        load_key(path)


def test_an_unsigned_report_says_so_and_is_not_good_where_a_key_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    write(a_record(), json_file=path)
    assert "not signed" in check(path).said[-1]
    assert not check(path, [pem(KEY, tmp_path / "k.pem")]).good


def test_what_is_no_report(tmp_path: Path) -> None:
    unsealed = as_json(a_record()).encode()
    for name, said in (("a", b"hello"), ("b", b"{}"), ("c", b"\xff\xfe"), ("d", unsealed)):
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
    write(a_record(), json_file=tmp_path / "r.json")
    with pytest.raises(ReportError, match="no public key"):
        check(tmp_path / "r.json", [good])


def test_csv_has_a_line_for_each_test() -> None:
    lines = as_csv(a_record()).splitlines()
    assert lines[0].startswith("section,test,")
    assert lines[1].startswith("factory,each-cell,")
    assert len(lines) == 1 + len(a_record().results)


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
    text = page(a_record(), AUTHOR)
    tags = Tags()
    tags.feed(text)
    assert not tags.open
    assert not tags.outside
    assert "url(" not in text
    assert "@import" not in text
    assert tags.seen.count("script") == 1
    assert tags.seen.count("svg") == 4


def test_nothing_in_a_record_can_break_out_of_the_page() -> None:
    made = sealed(a_record())
    text = made.html
    assert "</script><b>" not in text
    assert "Q♥ at &lt;position&gt; 7" in text
    start = text.index('id="record">') + len('id="record">')
    assert m.decoded(text[start : text.index("</script>", start)]) == made.record


def test_a_rejected_test_is_marked_and_a_test_run_says_so() -> None:
    text = page(a_record())
    assert '<td class="n bad">0.0010</td>' in text
    assert "Test run: decks marked as rigged or seeded were counted." in text
    assert "36 positions at 99 % each would fail an ideal device 30% of the time" in text


def test_bits_controls_hints_and_outside_verdicts_stand_in_the_report() -> None:
    text = page(a_record())
    assert "Note: numbered from &lt;1&gt;." in text
    assert "Lab &amp; &lt;Sons&gt;" in text
    assert "2 sequences of 100 bits: the &lt;generator&gt;." in text
    assert "not tested: too short" in text
    assert "&lt;shelf&gt;" in text
    assert '<td class="bad">NOT FOUND</td>' in text
    assert "1 of 2 planted defects found" in text
    assert "ent/mean" in text


def test_what_a_run_has_not_is_left_out_and_the_sections_are_numbered_without_a_gap() -> None:
    whole = page(a_record())
    nothing: dict[str, Any] = dict.fromkeys(("controls", "outside", "where_to_look", "power", "practical"), ())
    nothing["bits"] = None
    bare = page(a_record(**nothing))
    for anchor in ("bits", "controls", "outside", "places", "power", "practical"):
        assert f'<section id="{anchor}">' in whole
        assert f'<section id="{anchor}">' not in bare
        assert f'href="#{anchor}"' not in bare
    for text in (whole, bare):
        found = re.findall(r"<h2><span>(\d+)</span>", text)
        assert found == [str(n) for n in range(1, len(found) + 1)]
        assert re.findall(r'<section id="(\w+)">', text) == re.findall(r'<a href="#(\w+)">', text)


def test_every_report_has_a_name_of_its_own_at_the_foot_of_each_page() -> None:
    made = sealed(a_record())
    digest = record_digest(made.record)
    name = f"{digest[:4]}-{digest[4:8]}-{digest[8:12]}"
    assert f'content: "Shuffle certification {name} – FAILED"' in made.html
    assert f"<title>Shuffle certification {name}: FAILED</title>" in made.html


@pytest.mark.parametrize("signers", [(), (AUTHOR,)])
def test_a_report_of_another_version_of_the_page_is_still_intact(
    signers: tuple[Signer, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Checking draws nothing: a later program that would draw another page can check this one."""
    path = tmp_path / "r.html"
    write(a_record(), signers, html_file=path)
    monkeypatch.setattr(sealing, "drawn", lambda _record, _digest: "something else")
    assert check(path).good


PAGE_TEXT = page(a_record(), AUTHOR)


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


@pytest.mark.parametrize("what", ["public_key", "signature", "role"])
def test_a_seal_changed_on_the_page_alone_is_found_out(what: str, tmp_path: Path) -> None:
    made = sealed(a_record(), [AUTHOR])
    assert made.record.seal is not None
    value = getattr(made.record.seal.signatures[0], what)[:64]
    shown, script, rest = made.html.partition("<script")
    path = tmp_path / "r.html"
    path.write_text(shown.replace(value, "0" * len(value)) + script + rest, encoding="utf-8", newline="")
    assert check(path).said == ("CHANGED: the page is not as it was written",)


def test_intervals_of_effects_are_called_what_they_are() -> None:
    assert judges_of_decks.CONFIDENCE == judging_of_draws.CONFIDENCE == 0.99
    assert "effect, 99 % interval" in page(a_record())


def test_the_page_lists_what_was_tested_on_a_sub_sample() -> None:
    parts = (
        m.SubSample(share="1 in 8", of="decks", counted=1_250_000, tests=("card-distances",)),
        m.SubSample(share="1 in 16", of="first cards", counted=625_000, tests=("gap", "poker")),
    )
    sample = a_record().sample
    section = replaced(sample.sections["factory"], sub_samples=parts)
    shown = page(a_record(sample=replaced(sample, sections={"factory": section})))
    assert shown.count('<th scope="row">sub-sample, factory</th>') == 2
    assert "1,250,000 decks (1 in 8 segments)<small>card-distances</small>" in shown
    assert "625,000 first cards (1 in 16 segments)<small>gap, poker</small>" in shown


def test_the_first_page_says_what_must_not_be_overlooked() -> None:
    runs = (m.EarlierRun(record_sha256="ef" * 32, plan="full", plan_sha256="00", rows=5, of="the same file",
                         outcome="failed", open="x"),)  # fmt: skip
    sample = replaced(a_record().sample, rows_in_file=200_000, rows_read=10_000)
    text = page(a_record(sample=sample, settings=m.RunSettings(decks=10_000, partial="a pilot"), earlier_runs=runs))
    first = text.partition('<nav id="contents"')[0]
    for said in (
        "Partial use: 10,000 of 200,000 rows were read. Reason given: a pilot",
        "Tested before: the same file, plan full, 5 rows: failed",
        "The results relate only to the items tested.",
        "200,000 rows in the file, 10,000 read",
        f"SHA-256 {'ab' * 32}",
        "2 cards in 1 rows (9 % of the rows; at most 0.1 % to pass)",
        "every deck of a day",
        "expected 4.5, found 9.5 (9 to 10)",
        "expected -2.32 %, found 1 % (-1 % to 3 %)",
    ):
        assert said in first
    assert "every row is counted" not in text


def test_a_passed_report_says_where_to_read_what_would_have_been_found() -> None:
    passed = replaced(a_record().verdict, outcome="passed", failures=(), rejected=(), missing=())
    text = page(a_record(verdict=passed))
    power = re.search(r'<section id="power"><h2><span>(\d+)</span>', text)
    assert power is not None
    assert f"No deviation was detected. Section {power[1]} lists what would have been." in text


KEYS = st.text(max_size=8) | st.just("device")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)


@given(provenance=st.dictionaries(KEYS, JSON, max_size=4), more=JSON)
@settings(max_examples=60)
def test_whatever_a_record_says_of_its_provenance_the_page_is_well_formed(provenance: Any, more: Any) -> None:
    continued = (m.open_table(more),) if isinstance(more, dict) else ()
    subject = replaced(a_record().subject, provenance=m.open_table(provenance), provenance_continued=continued)
    tags = Tags()
    tags.feed(page(a_record(subject=subject)))
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
    text = page(a_record(), AUTHOR)
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
