"""Calls to services of others over HTTP: one client with time-outs, retries and limits, and a guard for addresses that
tenants name."""
