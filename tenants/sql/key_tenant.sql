-- The tenant of a key id, for revocation by an operator who has only the id.
CREATE FUNCTION loci_key_tenant(p_key uuid) RETURNS uuid
LANGUAGE sql STABLE STRICT SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT k.tenant_id FROM public.tenants_servicekey AS k WHERE k.id = p_key
$$
