-- Why:  a small file that a tenant gives through the graph is imported in one transaction with its event, as the tenant.
-- Read: corpus/imports.store.ts insertCompleted
-- Lock: none; a policy and a grant
create policy tenant_import on search.imports for insert to landfall_app with check (tenant = kernel.tenant());
grant insert on search.imports to landfall_app;
