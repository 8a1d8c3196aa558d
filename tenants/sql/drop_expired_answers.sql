-- Deletes up to 10,000 expired idempotency records of all tenants; how many.
CREATE FUNCTION loci_drop_expired_answers() RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    WITH gone AS (
        DELETE FROM public.tenants_idempotencyrecord AS r WHERE (r.tenant_id, r.digest) IN (
            SELECT e.tenant_id, e.digest FROM public.tenants_idempotencyrecord AS e
            WHERE e.expires_at <= clock_timestamp() LIMIT 10000)
        RETURNING 1)
    SELECT count(*) FROM gone
$$
