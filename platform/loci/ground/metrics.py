"""Prometheus metrics that more than one room uses. No tenant or key is ever a label."""

from prometheus_client import Counter, Histogram

REQUEST_SECONDS = Histogram(
    "loci_http_request_seconds", "Time to answer a request", ["method", "route", "status"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)  # fmt: skip
RECALL_SECONDS = Histogram(
    "loci_recall_seconds", "Time of a recall, by part", ["part"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5),
)  # fmt: skip
TOOL_SECONDS = Histogram(
    "loci_tool_seconds", "Time of a tool call over MCP, by how it ended", ["tool", "outcome"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)  # fmt: skip
DEGRADED = Counter("loci_degraded_total", "Answers that lacked a part, by what was missing", ["reason"])
WRITES = Counter("loci_memory_writes_total", "Outcomes of written items", ["outcome"])
INDEXED = Counter("loci_indexed_total", "Versions taken in by the vector index", ["by"])
INDEX_FAILURES = Counter("loci_index_failures_total", "Failed attempts to index a version")
RECORDINGS = Counter("loci_recall_recordings_total", "Recalls that were to be remembered, by outcome", ["outcome"])
JOBS = Counter("loci_jobs_total", "Finished jobs", ["kind", "state"])
