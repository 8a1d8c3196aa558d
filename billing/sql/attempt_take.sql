-- One try against several limits, each of `p_tries` tries in `p_seconds`: the generic cell rate algorithm. Where one
-- limit refuses, those after it are not asked. For how many seconds to wait; 0 when the try is allowed.
CREATE FUNCTION loci_attempt_take(p_buckets text[], p_tries integer[], p_seconds double precision[])
RETURNS double precision
LANGUAGE plpgsql STRICT SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_bucket text;
    v_step interval;
    v_tat timestamptz;
BEGIN
    FOR i IN 1 .. cardinality(p_buckets) LOOP
        v_bucket := 'attempt:' || p_buckets[i];
        v_step := make_interval(secs => p_seconds[i] / p_tries[i]);
        v_tat := NULL;
        INSERT INTO public.billing_rate AS r (bucket, tat) VALUES (v_bucket, clock_timestamp() + v_step)
        ON CONFLICT (bucket) DO UPDATE SET tat = greatest(r.tat, clock_timestamp()) + v_step
            WHERE greatest(r.tat, clock_timestamp()) + v_step <= clock_timestamp() + p_tries[i] * v_step
        RETURNING r.tat INTO v_tat;
        IF v_tat IS NULL THEN
            SELECT r.tat INTO v_tat FROM public.billing_rate AS r WHERE r.bucket = v_bucket;
            RETURN greatest(1, extract(epoch FROM v_tat + v_step - p_tries[i] * v_step - clock_timestamp()));
        END IF;
    END LOOP;
    RETURN 0;
END $$
