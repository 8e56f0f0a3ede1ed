-- Why:  a tenant's rows are behind the one policy that every table of a tenant has, for reading and writing alike; what is
--       everybody's is read by a second one, and written by the system alone.
-- Read: every store of search
-- Lock: access exclusive on three tables, for a moment
drop policy tenant on search.chunks;
create policy tenant on search.chunks to landfall_app using (tenant = kernel.tenant());

drop policy tenant on search.imports;
drop policy tenant_import on search.imports;
create policy tenant on search.imports to landfall_app using (tenant = kernel.tenant());
alter table search.imports drop constraint imports_pkey;
alter table search.imports add primary key (tenant, import_id);

-- The app role has no grant on it; the policy says whose the rows are all the same.
create policy tenant on search.subjects to landfall_app using (tenant = kernel.tenant());
