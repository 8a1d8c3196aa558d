-- The tenants of one person, for the tenant switcher.
CREATE FUNCTION loci_memberships(p_user uuid)
RETURNS TABLE (tenant_id uuid, slug text, name text, role text, time_zone text)
LANGUAGE sql STABLE STRICT SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT t.id, t.slug::text, t.name::text, m.role::text, t.time_zone::text
    FROM public.tenants_membership AS m JOIN public.tenants_tenant AS t ON t.id = m.tenant_id
    WHERE m.user_id = p_user AND t.closed_at IS NULL ORDER BY t.slug
$$
