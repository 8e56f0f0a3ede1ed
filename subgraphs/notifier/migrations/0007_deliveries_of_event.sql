-- Why:  an explanation reads the deliveries of an event, and the deletion of an event looks for them; the unique index
--       has no messages of groups.
-- Read: deliveries/deliveries.store.ts list
-- Lock: notify.deliveries against writes while the index is built
create index deliveries_of_event on notify.deliveries (tenant, event_id, id);
