-- Leases one job of any tenant for p_seconds: ids only. A running job whose lease ran out was left by a dead worker.
CREATE FUNCTION loci_claim_job(p_seconds double precision)
RETURNS TABLE (tenant_id uuid, job_id uuid)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    UPDATE public.memory_job AS j
    SET lease_until = clock_timestamp() + make_interval(secs => p_seconds), attempts = j.attempts + 1, state = 'running'
    WHERE j.id = (
        SELECT c.id FROM public.memory_job AS c
        WHERE c.state IN ('queued', 'running') AND c.lease_until <= clock_timestamp()
        ORDER BY c.lease_until LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING j.tenant_id, j.id
$$
