"""`shuffler certify verify`, `countersign`, `stamp`, `bundle`: check a report, sign and stamp it, hand it in."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shuffler.cli.output import fail

ReportFile = Annotated[Path, typer.Argument(help="A report: HTML or JSON.")]


def verify(
    report: ReportFile,
    key: Annotated[
        list[Path] | None,
        typer.Option(help="The laboratory's public key (PEM); repeat it where two must have signed."),
    ] = None,
    authority: Annotated[
        Path | None, typer.Option(metavar="PEM", help="Certificates of the authority whose timestamp it must bear.")
    ] = None,
    against: Annotated[
        Path | None, typer.Option(metavar="DATA", help="Test this file again and compare every figure.")
    ] = None,
    rerun: Annotated[
        bool, typer.Option("--rerun", help="For a report on a mechanism: run it again and compare every figure.")
    ] = False,
    bits: Annotated[
        Path | None, typer.Option(metavar="FILE", help="With --against: the raw bits that were tested.")
    ] = None,
) -> None:
    """Check that a report is whole and unchanged, whose signatures it bears, and that its data give its figures.

    Exit code 0: intact (signed, stamped and recomputed where asked for). 1: not. 2: can't be read.
    """
    from randomness.errors import RandomnessError
    from shuffler.lab.certificate import check
    from shuffler.lab.recomputing import recompute

    try:
        checked = check(report, key or (), authority=authority)
        good, said = checked.good, checked.said
        if good and (against is not None or rerun):
            again = recompute(report, against, bits=bits)
            good, said = again.good, (*said, *again.said)
    except RandomnessError as error:
        raise fail(str(error)) from None
    for line in said:
        typer.echo(line)
    raise typer.Exit(0 if good else 1)


def countersign(
    report: ReportFile,
    sign: Annotated[str, typer.Option("--sign", metavar="[ROLE=]KEY", help="An Ed25519 private key (PEM).")],
) -> None:
    """Add a signature to an intact report. The role is reviewer unless another is named."""
    from randomness.errors import RandomnessError
    from shuffler.cli.signing import signers
    from shuffler.lab.certificate import countersigned, reseal

    named = sign if "=" in sign or Path(sign).exists() is False else f"reviewer={sign}"
    try:
        (signer,) = signers([named])
        record = reseal(report, lambda record, seal: countersigned(record, seal, signer))
    except RandomnessError as error:
        raise fail(str(error)) from None
    assert record.seal is not None
    typer.echo(f"signed by {', '.join(one.role for one in record.seal.signatures)}")


def stamp(
    report: ReportFile,
    query: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the request that a timestamp authority answers (.tsq).")
    ] = None,
    token: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The authority's answer (.tsr) or token: put it in the report.")
    ] = None,
) -> None:
    """Give a report an RFC 3161 timestamp: first --query, then send that to the authority, then --token."""
    from randomness.errors import RandomnessError
    from shuffler.lab.certificate import imprint, load_record, reseal, stamped, timestamps
    from strict_toml import read_bounded

    if (query is None) == (token is None):
        raise fail("say --query FILE to make a request, or --token FILE to put an answer in")
    try:
        if query is not None:
            seal = load_record(report).seal
            assert seal is not None
            query.write_bytes(timestamps.query(imprint(seal)))
            typer.echo(f"request in {query}: send it to the authority as application/timestamp-query")
            return
        assert token is not None
        data = read_bounded(token)
        record = reseal(report, lambda _record, seal: stamped(seal, data))
    except RandomnessError as error:
        raise fail(str(error)) from None
    except (OSError, ValueError) as error:
        raise fail(f"can't read {token}: {error}") from None
    assert record.seal is not None
    assert record.seal.timestamp is not None
    typer.echo(f"timestamp {record.seal.timestamp.time}")


def bundle(
    report: ReportFile,
    out: Annotated[Path, typer.Argument(help="The bundle to write (.zip).")],
    data: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Put the data file in; without it only its digest is there.")
    ] = None,
    key: Annotated[
        list[Path] | None, typer.Option(help="The laboratory's public key (PEM): checked, and put in.")
    ] = None,
) -> None:
    """Write a submission bundle: report, record, plan, results, versions, checksums and a checklist."""
    from randomness.errors import RandomnessError
    from shuffler.lab.bundle import make

    try:
        make(report, out, data=data, keys=key or ())
    except RandomnessError as error:
        raise fail(str(error)) from None
    except OSError as error:
        raise fail(f"{error.filename}: {error.strerror}") from None
    typer.echo(f"bundle in {out}; check it with: shuffler certify check-bundle {out} --rerun")


def check_bundle(
    file: Annotated[Path, typer.Argument(help="A bundle (.zip).")],
    key: Annotated[list[Path] | None, typer.Option(help="The laboratory's public key (PEM).")] = None,
    rerun: Annotated[bool, typer.Option("--rerun", help="Make the run again and compare every figure.")] = False,
    against: Annotated[
        Path | None, typer.Option(metavar="DATA", help="With --rerun: the data file, where it is not in the bundle.")
    ] = None,
) -> None:
    """Check every file of a bundle, its report and signatures; with --rerun reproduce its run.

    Exit code 0: intact (and reproduced). 1: not. 2: can't be read.
    """
    from randomness.errors import RandomnessError
    from shuffler.lab.bundle import check_bundle as checked_bundle

    try:
        checked = checked_bundle(file, keys=key or (), rerun=rerun, data=against)
    except RandomnessError as error:
        raise fail(str(error)) from None
    for line in checked.said:
        typer.echo(line)
    raise typer.Exit(0 if checked.good else 1)
