-- Why:  a client's page says who registered it.
-- Read: clients/clients.store.ts
-- Lock: clients, while the creators recorded in the events are written; a tenant has some hundred clients at most
alter table authority.clients add column created_by text;
update authority.clients c set created_by = e.actor
from kernel.events e
where e.tenant = c.tenant and e.entity = 'Client' and e.entity_id = c.id::text and e.type = 'client.create';
