-- Why:  a client must not approve what a person who holds its credentials requested; the module that decides that is not
--       the one that registers clients.
-- Read: client-controllers.ts (the authority's client operations, the orchestrator's approval rule)
-- Lock: none; a new table, filled from the client events recorded so far
create table kernel.client_controllers (
  tenant text not null,
  client_id text not null,
  -- The person or client that registered it, changed it or was given a secret of it.
  subject text not null,
  primary key (tenant, client_id, subject)
);
alter table kernel.client_controllers enable row level security;
create policy tenant on kernel.client_controllers to landfall_app using (tenant = kernel.tenant());
grant select, insert on kernel.client_controllers to landfall_app;

insert into kernel.client_controllers (tenant, client_id, subject)
select distinct tenant, entity_id, actor from kernel.events
where entity = 'Client' and type in ('client.create', 'client.update', 'client.rotateSecret')
on conflict do nothing;
