-- The tenant of a slug, for management commands.
CREATE FUNCTION loci_tenant_by_slug(p_slug text) RETURNS uuid
LANGUAGE sql STABLE STRICT SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT t.id FROM public.tenants_tenant AS t WHERE t.slug = p_slug
$$
