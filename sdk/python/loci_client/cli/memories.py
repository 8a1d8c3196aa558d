"""`search`, `remember`, `forget`, `status`: one question, one answer."""

import argparse
import sys
from typing import Any, cast

from loci_client.cli.arguments import Usage, command, json_object, pair, with_address
from loci_client.cli.output import paragraph, plural, say, say_json, tell
from loci_client.clients import Loci
from loci_client.context import as_block
from loci_client.models import MODES, Hit, ItemFields, RecallOptions, Written


def add(commands: Any) -> None:
    """Add the commands."""
    _add_search(commands)
    _add_remember(commands)
    _add_forget(commands)
    with_address(
        command(commands, "status", status, "how the server and the tenant stand", "Show how server and tenant stand.")
    )


def _add_search(commands: Any) -> None:
    parser = with_address(
        command(
            commands,
            "search",
            search,
            "ask what is remembered",
            "Show the memories that answer a question, best first: by meaning and by exact word.",
        )
    )
    parser.add_argument("query", nargs="+", metavar="QUERY", help="the question; several words are one question")
    parser.add_argument("-n", "--limit", type=int, default=10, help="how many results, 1 to 100 (10)")
    parser.add_argument(
        "--filter", type=pair, action="append", default=[], metavar="KEY=VALUE", help="only where KEY is VALUE; again"
    )
    parser.add_argument("--filters", type=json_object, metavar="JSON", help="a filter in the API's language")
    parser.add_argument("--namespace", action="append", metavar="NAME", help="only in this namespace; again")
    parser.add_argument(
        "--mode", choices=MODES, metavar="MODE", help=f"how to read the question: {', '.join(MODES)} (hybrid)"
    )
    parser.add_argument("--as-of", metavar="TIME", help="what held then")
    parser.add_argument("--token-budget", type=int, metavar="N", help="only as many results as fit N tokens")
    parser.add_argument("--retracted", action="store_true", help="show what was retracted too")
    parser.add_argument("--context", action="store_true", help="print a block for a prompt, each text fenced as data")
    parser.add_argument("--trace", action="store_true", help="with --json: how every rank came about")


def search(args: argparse.Namespace) -> int:
    """Carry out `loci search`."""
    options: dict[str, Any] = {
        "limit": args.limit,
        "filters": _filters(args),
        "namespaces": args.namespace,
        "mode": args.mode,
        "as_of": args.as_of,
        "token_budget": args.token_budget,
        "include_invalidated": args.retracted or None,
        "include_trace": args.trace or None,
    }
    given = cast(RecallOptions, {name: value for name, value in options.items() if value is not None})
    with Loci(args.url) as loci:
        found = loci.recall(" ".join(args.query), **given)
    block = as_block(found.results, args.token_budget) if args.context else None
    if args.json:
        say_json(found.raw if block is None else {"context": block})
    elif block is not None:
        if block:
            say(block)
    else:
        for rank, hit in enumerate(found.results, 1):
            say(_shown(rank, hit))
        if not found.results:
            tell("Nothing found.")
    for tag in (*found.degraded, *found.notes):
        tell(f"note: {tag}")
    return 0


def _filters(args: argparse.Namespace) -> dict[str, Any] | None:
    equalities = dict(args.filter)
    if len(equalities) < len(args.filter):
        raise Usage('a key of --filter is given twice; --filters takes {KEY: {"any": […]}}')
    if not equalities:
        return cast("dict[str, Any] | None", args.filters)
    return {"and": [equalities, args.filters]} if args.filters else equalities


def _shown(rank: int, hit: Hit) -> str:
    indent = " " * (len(str(rank)) + 2)
    moment = str(hit.metadata.get("timestamp") or "")[:10]
    parts = [hit.source or "", moment, "retracted" if hit.metadata.get("invalidated_at") else "", hit.id]
    about = " · ".join(part for part in parts if part)
    return f"{rank}. {paragraph(hit.text, indent)}\n{indent}{about}\n"


def _add_remember(commands: Any) -> None:
    parser = with_address(
        command(
            commands,
            "remember",
            remember,
            "store a text",
            "Store a text. The same text from the same source, sent twice, is one memory.",
        )
    )
    parser.add_argument("text", nargs="*", metavar="TEXT", help="the text; none or - reads standard input")
    parser.add_argument("--source", help="where it comes from")
    parser.add_argument("--offset", type=int, help="its place within the source")
    parser.add_argument("--chunk", action="store_true", help="cut a long text into windows; needs --source")
    parser.add_argument("--timestamp", metavar="TIME", help="when it happened")
    parser.add_argument("--tag", action="append", dest="tags", help="a tag; again for another")
    parser.add_argument(
        "--metadata", type=pair, action="append", default=[], metavar="KEY=VALUE", help="something about it; again"
    )
    parser.add_argument("--namespace", help="where it goes")
    parser.add_argument("--kind", help="fact, preference, event, procedure, todo, …")
    parser.add_argument("--subject", help="the person it is about")
    parser.add_argument("--agent", help="the agent that says it")
    parser.add_argument("--confidence", type=float, help="0 to 1")


FIELDS = ("source", "offset", "timestamp", "tags", "namespace", "kind", "subject", "agent", "confidence")


def remember(args: argparse.Namespace) -> int:
    """Carry out `loci remember`."""
    text = _text(args.text)
    given: dict[str, Any] = {name: getattr(args, name) for name in FIELDS}
    given |= {"chunk": args.chunk or None, "metadata": dict(args.metadata) or None}
    fields = cast(ItemFields, {name: value for name, value in given.items() if value is not None})
    with Loci(args.url) as loci:
        written = loci.remember(text, **fields)
    if args.json:
        say_json(written.raw or written)
    else:
        _show_written(written)
    return 1 if written.failed else 0


def _text(words: list[str]) -> str:
    if words and words != ["-"]:
        return " ".join(words)
    if sys.stdin.isatty() and not words:
        raise Usage("say what to remember, or pipe it in")
    return sys.stdin.buffer.read().decode("utf-8-sig")


def _show_written(written: Written) -> None:
    for outcome in written.results:
        note = "" if outcome.searchable else "  (found by its words; by meaning in a moment)"
        say(f"{outcome.status}  {outcome.id or outcome.reason}{note}")


def _add_forget(commands: Any) -> None:
    parser = with_address(
        command(
            commands,
            "forget",
            forget,
            "retract memories, or erase them",
            "Retract memories: searches no longer show them, the record keeps them, and storing the same text again\n"
            "takes it back. With --erase they are deleted for good.",
        )
    )
    parser.add_argument("ids", nargs="*", metavar="ID", help="memories, by id")
    parser.add_argument("--source", help="all memories of this source instead")
    parser.add_argument("--erase", action="store_true", help="delete for good, with all versions")
    parser.add_argument("--yes", action="store_true", help="with --erase: do not ask")


def forget(args: argparse.Namespace) -> int:
    """Carry out `loci forget`."""
    if bool(args.ids) == (args.source is not None):
        raise Usage("give ids, or --source")
    selection: dict[str, Any] = {"ids": args.ids} if args.ids else {"source": args.source}
    if args.erase and not args.yes and not _confirmed(args):
        tell("Nothing was erased.")
        return 1
    with Loci(args.url) as loci:
        count = loci.erase(**selection) if args.erase else loci.forget(**selection)
    if args.json:
        say_json({"erased" if args.erase else "retracted": count})
    else:
        say(f"{'Erased' if args.erase else 'Retracted'} {plural(count, 'memory', 'memories')}.")
    return 0


def _confirmed(args: argparse.Namespace) -> bool:
    if not sys.stdin.isatty():
        raise Usage("--erase asks first, and there is no terminal to ask at: add --yes")
    what = plural(len(args.ids), "memory", "memories") if args.ids else f"all memories of {args.source}"
    tell(f"Erase {what} for good? [y/N] ", end="")
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def status(args: argparse.Namespace) -> int:
    """Carry out `loci status`."""
    with Loci(args.url) as loci:
        found = loci.status()
    if args.json:
        say_json(found.raw)
        return 0
    say(f"Loci {found.version} at {loci.url}")
    say(f"embedder  {found.embedding}")
    tenant = found.tenant
    if tenant.memories is not None:
        limit = "" if tenant.memories_limit is None else f" of {tenant.memories_limit:,.0f}"
        say(f"memories  {tenant.memories:,}{limit}")
    if tenant.index_pending:
        say(f"indexing  {tenant.index_pending:,} to do, since {tenant.index_lag_seconds or 0:.0f} s")
    return 0
