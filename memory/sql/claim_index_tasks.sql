-- Leases up to p_limit index tasks of all tenants for p_seconds: ids only. Skips what others hold.
CREATE FUNCTION loci_claim_index_tasks(p_limit integer, p_seconds double precision)
RETURNS TABLE (tenant_id uuid, task_id uuid)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    UPDATE public.memory_indextask AS t
    SET lease_until = clock_timestamp() + make_interval(secs => p_seconds), attempts = least(t.attempts + 1, 1000)
    WHERE t.id IN (
        SELECT c.id FROM public.memory_indextask AS c WHERE c.lease_until <= clock_timestamp()
        ORDER BY c.lease_until LIMIT least(p_limit, 1000) FOR UPDATE SKIP LOCKED)
    RETURNING t.tenant_id, t.id
$$
