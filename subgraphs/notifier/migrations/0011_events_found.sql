-- Why:  events of a rare kind, of an old period and of a pack are found without reading all that came since.
-- Read: events/events.store.ts list, listRouted, findOfPack
-- Lock: notify.events against writes while the indexes are built
create index events_kind on notify.events (tenant, kind, id desc);
create index events_received on notify.events (tenant, received_at);
create index events_pack on notify.events (tenant, (coalesce(attributes->>'packId', payload->>'packId')), id desc)
  where producer = 'pack';
