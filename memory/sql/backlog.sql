-- How much waits, over all tenants, for metrics and readiness: counts and the age of the oldest in seconds.
CREATE FUNCTION loci_backlog(OUT index_tasks bigint, OUT oldest_task double precision, OUT jobs bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT (SELECT count(*) FROM (SELECT 1 FROM public.memory_indextask LIMIT 100000) AS capped),
           (SELECT coalesce(extract(epoch FROM clock_timestamp() - min(created_at)), 0) FROM public.memory_indextask),
           (SELECT count(*) FROM public.memory_job WHERE state IN ('queued', 'running'))
$$
