-- One request of a tenant against its rate: the generic cell rate algorithm in one upsert.
-- rps NULL: no limit. Otherwise a burst of ceil(rps), at least 1; `wait` is in seconds, 0 when allowed.
CREATE FUNCTION loci_rate_take(p_tenant uuid, p_default double precision,
                               OUT allowed boolean, OUT rps double precision, OUT burst integer,
                               OUT remaining integer, OUT wait double precision)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_bucket text := 'tenant:' || p_tenant::text;
    v_step interval;
    v_tat timestamptz;
BEGIN
    SELECT q."limit" INTO rps FROM public.billing_quota AS q WHERE q.tenant_id = p_tenant AND q.name = 'rps';
    rps := coalesce(rps, p_default);
    allowed := true; wait := 0; burst := 0; remaining := 0;
    IF rps IS NULL THEN RETURN; END IF;
    IF rps <= 0 THEN allowed := false; wait := 86400; RETURN; END IF;
    burst := greatest(1, ceil(rps)::integer);
    v_step := make_interval(secs => 1 / rps);
    INSERT INTO public.billing_rate AS r (bucket, tat) VALUES (v_bucket, clock_timestamp() + v_step)
    ON CONFLICT (bucket) DO UPDATE SET tat = greatest(r.tat, clock_timestamp()) + v_step
        WHERE greatest(r.tat, clock_timestamp()) + v_step <= clock_timestamp() + burst * v_step
    RETURNING r.tat INTO v_tat;
    IF v_tat IS NULL THEN
        allowed := false;
        SELECT r.tat INTO v_tat FROM public.billing_rate AS r WHERE r.bucket = v_bucket;
        wait := greatest(0, extract(epoch FROM v_tat + v_step - burst * v_step - clock_timestamp()));
    ELSE
        remaining := greatest(0, floor(burst - extract(epoch FROM v_tat - clock_timestamp()) * rps)::integer);
    END IF;
END $$
