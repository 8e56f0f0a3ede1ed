-- Why:  an event has its place to itself, so that none hides behind another; and a seal says in which log it is, since
--       another platform domain begins another log.
-- Read: events/seal.store.ts, events/audit.store.ts
-- Lock: kernel.events against writes, while the index over its order is built anew; kernel.event_seals for a moment
create unique index events_place on kernel.events (xid, id);
drop index kernel.events_order;

alter table kernel.event_seals add column log_origin text;
-- Which log it was is not known any more. The sealer hands these seals over again, and the log that has them answers
-- where; one that has them not takes them.
update kernel.event_seals set log_index = null where log_index is not null;
alter table kernel.event_seals add constraint event_seals_logged check ((log_index is null) = (log_origin is null));
grant update (log_origin) on kernel.event_seals to landfall_system;
