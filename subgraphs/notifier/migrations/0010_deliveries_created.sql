-- Why:  deliveries since a time, and their numbers, are found among a million without reading them all.
-- Read: deliveries/deliveries.store.ts list, countByState
-- Lock: notify.deliveries against writes while the index is built
create index deliveries_created on notify.deliveries (tenant, created_at);
