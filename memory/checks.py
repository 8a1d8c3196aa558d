"""Refuses settings that name plug-ins which are none."""

from typing import Any

from django.core.checks import CheckMessage, Error, register

from memory.engine.plugins import PluginError
from memory.services import outside, tokens


@register()
def plugins_are_usable(**_: Any) -> list[CheckMessage]:
    """RETRIEVERS and TOKEN_COUNTER name something that can be used."""
    faults = []
    for at, make in enumerate((outside.configured, tokens.counter), start=1):
        try:
            make()
        except PluginError as fault:
            faults.append(Error(str(fault), hint="See docs/recall.md.", id=f"memory.E{at:03}"))
        except Exception as fault:  # somebody else's code may raise anything
            faults.append(Error(f"A plug-in raised {type(fault).__name__}: {fault}", id=f"memory.E{at:03}"))
    return faults
