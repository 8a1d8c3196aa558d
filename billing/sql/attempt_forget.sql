-- Gives back the tries of one limit, after one that succeeded.
CREATE FUNCTION loci_attempt_forget(p_bucket text) RETURNS void
LANGUAGE sql STRICT SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    DELETE FROM public.billing_rate AS r WHERE r.bucket = 'attempt:' || p_bucket
$$
