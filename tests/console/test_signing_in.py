import pytest
from django.test import Client

from tests.console.staff import PASSWORD, Member


def sign_in(client: Client, email: str, password: str = PASSWORD, **more: str) -> object:
    return client.post("/sign-in", {"email": email, "password": password, **more})


def test_whoever_signs_in_lands_in_their_first_tenant(mira: Member) -> None:
    client = Client()
    response = client.post("/sign-in", {"email": "  MIRA@acme.example ", "password": PASSWORD}, follow=True)
    assert response.redirect_chain == [("/", 302), ("/t/acme/", 302)]


def test_a_wrong_password_and_an_unknown_address_get_the_same_answer(mira: Member) -> None:
    known, unknown = (sign_in(Client(), email, "wrong") for email in (mira.user.email, "nobody@acme.example"))
    assert known.status_code == unknown.status_code == 422
    assert "do not match" in known.content.decode()
    assert known.content.decode().count("nobody") == 0
    assert len(known.content) - len(mira.user.email) == len(unknown.content) - len("nobody@acme.example")


@pytest.mark.parametrize("password", ["", " " * 10, "\x00"])
def test_an_odd_password_is_refused(mira: Member, password: str) -> None:
    assert sign_in(Client(), mira.user.email, password).status_code == 422


def test_a_person_who_is_not_active_stays_outside(mira: Member) -> None:
    mira.user.is_active = False
    mira.user.save()
    assert sign_in(Client(), mira.user.email).status_code == 422


@pytest.mark.parametrize(
    ("given", "onward"),
    [
        ("/t/acme/memories?tag=a", "/t/acme/memories?tag=a"),
        ("https://evil.example/", "/"),
        ("//evil.example/", "/"),
        ("javascript:alert(1)", "/"),
        ("", "/"),
    ],
)
def test_signing_in_leads_only_to_this_site(mira: Member, given: str, onward: str) -> None:
    response = sign_in(Client(), mira.user.email, next=given)
    assert response["Location"] == onward


def test_the_session_gets_a_new_name_on_signing_in(mira: Member) -> None:
    client = Client()
    session = client.session
    session["planted"] = True
    session.save()
    client.cookies["loci_session"] = session.session_key
    sign_in(client, mira.user.email)
    assert client.cookies["loci_session"].value != session.session_key


def test_signing_out_ends_the_session_on_the_server(mira: Member) -> None:
    client = mira.client
    key = client.cookies["loci_session"].value
    assert client.post("/sign-out")["Location"] == "/sign-in"
    client.cookies["loci_session"] = key
    assert client.get("/t/acme/search").status_code == 302


def test_signing_out_by_a_link_is_refused(mira: Member) -> None:
    assert mira.client.get("/sign-out").status_code == 405


def test_a_form_without_its_token_changes_nothing(mira: Member) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(mira.user)
    response = client.post("/t/acme/memories/new", {"text": "sneaked in"})
    assert response.status_code == 403
    assert "This form is too old" in response.content.decode()


def test_someone_without_a_tenant_reads_what_to_do(db: None) -> None:
    from tenants.models import User

    client = Client()
    client.force_login(User.objects.create_user("new@nowhere.example", PASSWORD))
    assert "You have no tenant yet" in client.get("/").content.decode()
