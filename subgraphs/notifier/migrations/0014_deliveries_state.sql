-- Why:  the numbers of all deliveries by state are read from an index, and deliveries of each state are found.
-- Read: deliveries/deliveries.store.ts list, countByState
-- Lock: notify.deliveries against writes while the index is built
create index deliveries_state on notify.deliveries (tenant, state, id desc);
drop index notify.deliveries_unsettled;
