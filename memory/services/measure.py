"""Measure: run the golden questions at once where they are few, as a job where they are many."""

from loci.ground.errors import RuleBroken
from memory.models import Job
from memory.services.evaluate import Plan, evaluate
from memory.services.golden import reach_of
from memory.services.jobs import submit
from memory.stores.postgres import golden
from memory.stores.postgres.golden import Run
from tenants.authentication import require
from tenants.rls import tenant_rows
from tenants.scope import Right, Scope

IMMEDIATE = 20
"""Questions that are asked before the answer."""


def start_run(scope: Scope, *, plan: Plan | None = None) -> Run | Job:
    """The run, or the job that does it when there are more than 20 questions. `RuleBroken` when there are none."""
    require(scope, Right.WRITE)
    with tenant_rows(scope.tenant) as cursor:
        number = golden.count(cursor, scope, reach_of(scope))
    if not number:
        raise RuleBroken("There are no golden questions yet: add some to /golden-questions first.", code="no_questions")
    require(scope, Right.READ)  # ranks tell what a recall would
    how = plan or Plan()
    if number <= IMMEDIATE:
        return evaluate(scope, plan=how)
    return submit(scope, kind="evaluate", total=number, payload=how.to_json(), result={"ranks": {}})
