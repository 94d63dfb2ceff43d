"""The schema holds for a record, and fails for one that was changed; the clauses page has every clause once."""

import json

import jsonschema_rs
import pytest
from certificate_record import a_record

from proofs.pages.certification import clauses_page, record_schema
from randomness.certification.clauses import all_clauses
from shuffler.lab.certificate import sealed


def test_a_record_is_as_the_schema_says_and_another_is_not() -> None:
    schema = json.loads(record_schema())
    record = json.loads(sealed(a_record()).json)
    jsonschema_rs.validate(schema, record)
    for change in ({"approved_by": "x"}, {"sample": {}}, {"plan_sha256": 5}):
        with pytest.raises(jsonschema_rs.ValidationError):
            jsonschema_rs.validate(schema, record | change)


def test_the_page_has_every_clause_once() -> None:
    page = clauses_page()
    assert all(page.count(f"| `{clause.id}` |") == 1 for clause in all_clauses())
