-- Ids of tenants in order of id, for operator commands that go over all of them.
CREATE FUNCTION loci_tenant_page(p_after uuid, p_limit integer) RETURNS SETOF uuid
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT t.id FROM public.tenants_tenant AS t
    WHERE p_after IS NULL OR t.id > p_after ORDER BY t.id LIMIT least(p_limit, 1000)
$$
