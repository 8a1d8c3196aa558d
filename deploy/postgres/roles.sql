-- Both roles, the database and its extensions. The compose file's server runs it when it is new; by hand:
--     LOCI_OWNER_PASSWORD=… LOCI_APP_PASSWORD=… psql -X -v ON_ERROR_STOP=1 -f deploy/postgres/roles.sql
-- as a superuser, with psql 15 or newer. LOCI_DATABASE names another database than `loci`. Running it again is safe:
-- it gives the roles the passwords of the environment and makes what is missing.

\set ON_ERROR_STOP on
\set owner_password ''
\set app_password ''
\set database loci
\getenv owner_password LOCI_OWNER_PASSWORD
\getenv app_password LOCI_APP_PASSWORD
\getenv database LOCI_DATABASE

-- a statement with a password gets into no log, not even when it fails
SET log_statement = 'none';
SET log_min_error_statement = 'panic';
SET log_min_duration_statement = -1;

SELECT length(:'owner_password') < 16 OR length(:'app_password') < 16 AS too_short \gset
\if :too_short
    \warn 'LOCI_OWNER_PASSWORD and LOCI_APP_PASSWORD must both be set, to 16 characters or more.'
    DO $$ BEGIN RAISE EXCEPTION 'no passwords for loci_owner and loci_app'; END $$;
\endif

SELECT format('CREATE ROLE %I', name) FROM unnest(ARRAY['loci_owner', 'loci_app']) AS name
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) \gexec
ALTER ROLE loci_owner LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS PASSWORD :'owner_password';
ALTER ROLE loci_app LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS PASSWORD :'app_password';

SELECT format('CREATE DATABASE %I OWNER loci_owner ENCODING ''UTF8'' LOCALE ''C.UTF-8'' TEMPLATE template0', :'database')
WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = :'database') \gexec
REVOKE ALL ON DATABASE :"database" FROM PUBLIC;
GRANT CONNECT ON DATABASE :"database" TO loci_app;
-- compiling a query takes longer than the queries here take
ALTER DATABASE :"database" SET jit = off;

\connect :"database"
CREATE EXTENSION IF NOT EXISTS vector;
CREATE EXTENSION IF NOT EXISTS btree_gist;
