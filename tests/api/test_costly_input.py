"""Input that is cheap to send and must not be dear to refuse; and races that must not widen a key's reach."""

from django.test import Client

from memory.engine.values import MAX_ROWS
from tests.cast import Caller


def test_a_key_that_stands_twice_among_many_is_named_at_once(alice: Caller) -> None:
    many = ",".join(f'"a{n}":0' for n in range(100_000))
    answer = alice.call("POST", "recall", f'{{"query":{{{many},"a99999":1}}}}'.encode())
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["pointer"] == "/query/a99999"


def test_a_fault_deep_down_beside_many_values_is_told_by_its_path(alice: Caller) -> None:
    body = '{"query":' + "[" * 500 + '"\\u0000",' + "0," * 100_000 + "0" + "]" * 500 + "}"
    answer = alice.call("POST", "recall", body.encode())
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["pointer"] == "/query" + "/0" * 500


def test_a_form_over_1_mb_is_refused_before_it_is_decoded(db: None) -> None:
    form = b"email=" + b"%41" * 400_000
    answer = Client().post("/sign-in", form, content_type="application/x-www-form-urlencoded")
    assert answer.status_code == 413


def test_what_a_key_is_bound_to_stays_filterable_beside_any_number_of_values(alice: Caller) -> None:
    bound = alice.with_key(filters={"ward": 7})
    metadata = {f"k{n}": [str(value) for value in range(9)] for n in range(31)}
    assert MAX_ROWS < 31 * 9
    (memory,) = bound.remember("Beyond the rows.", metadata=metadata)
    assert bound.get(f"memories/{memory}").status_code == 200
    assert bound.remember("Beyond the rows.", metadata=metadata) == [memory]
