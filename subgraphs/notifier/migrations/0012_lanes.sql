-- Why:  a person's receiver that hangs takes no more than its share of the channel that carries its messages: the jobs of one
--       receiver are a lane. PagerDuty gets no trigger after the end of its condition. Repeated alerts go on firing.
-- Read: deliveries/jobs.store.ts, deliveries/deliveries.store.ts, events/conditions.store.ts
-- Lock: notify.delivery_jobs and notify.deliveries against writes while their indexes are built
alter table notify.delivery_jobs
  -- The contact method of a person's webhook, otherwise the channel.
  add column lane uuid;
update notify.delivery_jobs set lane = channel_id;
alter table notify.delivery_jobs alter column lane set not null;
drop index notify.delivery_jobs_due;
create index delivery_jobs_due on notify.delivery_jobs (tenant, channel_id, lane, due_at, delivery_id);

alter table notify.deliveries
  -- Condition that the message opens or ends at a receiver that keeps its state; null for other messages and for groups.
  add column condition_key text;
create index deliveries_condition on notify.deliveries (tenant, channel_id, condition_key, event_id)
  where condition_key is not null;

grant update (updated_at) on notify.conditions to landfall_app;
