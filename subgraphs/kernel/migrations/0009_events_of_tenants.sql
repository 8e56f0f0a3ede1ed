-- Why:  what the operator says of a tenant and the event that tells of it are one transaction, of the operator's role.
-- Read: events/write.ts, by the authority's tenants.ts
-- Lock: none; a policy is added
create policy operator on kernel.events for insert to landfall_system with check (entity = 'Tenant');
grant insert on kernel.events to landfall_system;
