-- Deletes up to 10,000 buckets that are as if they were not there: all that was taken has come back; how many.
CREATE FUNCTION loci_drop_idle_rates() RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    WITH gone AS (
        DELETE FROM public.billing_rate AS r WHERE r.tat <= clock_timestamp() AND r.bucket IN (
            SELECT e.bucket FROM public.billing_rate AS e WHERE e.tat <= clock_timestamp()
            LIMIT 10000 FOR UPDATE SKIP LOCKED)
        RETURNING 1)
    SELECT count(*) FROM gone
$$
