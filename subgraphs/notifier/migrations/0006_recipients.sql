-- Why:  an action may tell people: each gets a delivery to each of their addresses, which names both.
-- Read: deliveries/deliveries.store.ts, deliveries/suppressions.store.ts, routing/waiting-events.store.ts
-- Lock: notify.deliveries and notify.waiting_events against writes while their indexes are built
alter table notify.deliveries
  -- The person who is told; null where the channel has an address of its own.
  add column recipient text,
  add column contact_method_id uuid,
  -- Address as it was when the event was routed.
  add column address text,
  add foreign key (tenant, contact_method_id) references notify.contact_methods (tenant, id),
  add check (num_nulls(recipient, contact_method_id, address) in (0, 3));
drop index notify.deliveries_event;
create unique index deliveries_event
  on notify.deliveries (tenant, event_id, rule_id, action_index, contact_method_id, forced_from)
  nulls not distinct where group_id is null;

alter table notify.suppressions add column recipient text;

alter table notify.waiting_events
  add column contact_method_id uuid,
  add foreign key (tenant, contact_method_id) references notify.contact_methods (tenant, id),
  drop constraint waiting_events_tenant_event_id_rule_id_action_index_key,
  add constraint waiting_events_action unique nulls not distinct
    (tenant, event_id, rule_id, action_index, contact_method_id);
