"""The language model in force for a tenant: its own, else the operator's, else none."""

import time
from dataclasses import dataclass
from functools import partial
from uuid import UUID

from django.conf import settings

from memory.engine.language_model import LanguageModel, LanguageModelError, Message
from memory.services.patience import Busy, Late, asking
from memory.services.settings import stored_key
from memory.stores import llm
from memory.stores.postgres import settings as rows
from memory.stores.postgres.settings import Row
from tenants.authentication import require
from tenants.rls import tenant_rows
from tenants.scope import Right, Scope

TRIAL_TOKENS = 200
TRIAL_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of asking the language model for a word: `fault` says what went wrong; empty when it answered."""

    name: str = ""
    model: str = ""
    seconds: float = 0.0
    fault: str = ""


def language_model(scope: Scope) -> LanguageModel | None:
    """The language model for the scope's tenant; None when neither it nor the operator has one.

    Reads one row and calls nothing; ask for it where no connection is held. Raises LanguageModelError when the
    settings make none.
    """
    with tenant_rows(scope.tenant) as cursor:
        row = rows.read(cursor, scope)
    own = own_configuration(scope.tenant, row)
    return llm.configured() if own is None else llm.get_language_model(own)


def model_label(scope: Scope) -> str | None:
    """`provider/model` of the language model in force, as people know it; None when there is none."""
    require(scope, Right.READ)
    with tenant_rows(scope.tenant) as cursor:
        own = own_configuration(scope.tenant, rows.read(cursor, scope))
    config = own or llm.configuration()
    return None if config.provider in ("", "none") else f"{config.provider}/{config.model}"


def own_configuration(tenant: UUID, row: Row) -> llm.LanguageModelConfig | None:
    """The configuration of a tenant's own model; its address comes from the tenant, so it is guarded."""
    chosen = row.chosen.get("llm")
    if not chosen:
        return None
    return llm.LanguageModelConfig(
        provider=chosen["provider"],
        model=chosen.get("model", ""),
        url=chosen.get("url", ""),
        api_key=stored_key(row),
        timeout=settings.LLM_TIMEOUT,
        allowed=tuple(settings.ALLOWED_PRIVATE_NETWORKS),
        owner=str(tenant),
    )


def try_language_model(scope: Scope) -> Trial | None:
    """Ask the model in force for a word, within 20 s; None when there is no model."""
    require(scope, Right.ADMIN)
    began = time.monotonic()
    name, model_name, fault = "", "", ""
    try:
        model = language_model(scope)
        if model is None:
            return None
        name, model_name = model.name, model.model
        # a second more, so that the model's own words about a time-out are heard
        asking(scope.tenant, TRIAL_SECONDS + 1, partial(_ask, model, began + TRIAL_SECONDS))
    except LanguageModelError as error:
        name, model_name, fault = error.provider, error.model, str(error)
    except Late:
        fault = f"there is no answer within {TRIAL_SECONDS:g} s; check that the service runs"
    except Busy:
        fault = "too many calls are under way; try again later"
    return Trial(name, model_name, time.monotonic() - began, fault)


def _ask(model: LanguageModel, deadline: float) -> None:
    model.chat([Message("user", "Answer with the word yes.")], max_tokens=TRIAL_TOKENS, deadline=deadline)
