"""What goes wrong with a call to a service."""


class Fault(Exception):
    """A call failed. `problem` and `remedy` hold neither the key nor what was sent.

    `kind` is one of a few words fit for a metric label, `retryable` says whether the same call may succeed later,
    `retry_after` is the wait in seconds that the service asked for. `said` is what the service says about it, the key
    blotted out: a service may quote there what it was sent. `code` is one word that the service gives to the fault.
    """

    def __init__(
        self,
        problem: str,
        remedy: str = "",
        *,
        kind: str,
        retryable: bool = False,
        retry_after: float | None = None,
        said: str = "",
        code: str = "",
    ) -> None:
        super().__init__(problem, remedy)
        self.problem, self.remedy, self.kind = problem, remedy, kind
        self.retryable, self.retry_after, self.said = retryable, retry_after, said
        self.code = code

    def __str__(self) -> str:
        return self.problem + (f"; {self.remedy}" if self.remedy else "")
