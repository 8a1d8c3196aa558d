-- The key behind a digest, with what its scope is made of. At most one row.
CREATE FUNCTION loci_key_lookup(p_digests bytea[])
RETURNS TABLE (key_id uuid, tenant_id uuid, scopes text[], namespaces text[], filters jsonb, agent text,
               expires_at timestamptz, revoked_at timestamptz, last_used_at timestamptz, time_zone text, closed boolean)
LANGUAGE sql STABLE STRICT SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT k.id, k.tenant_id, k.scopes::text[], k.namespaces::text[], k.filters, k.agent::text,
           k.expires_at, k.revoked_at, k.last_used_at, t.time_zone::text, t.closed_at IS NOT NULL
    FROM public.tenants_servicekey AS k JOIN public.tenants_tenant AS t ON t.id = k.tenant_id
    WHERE k.digest = ANY (p_digests)
$$
