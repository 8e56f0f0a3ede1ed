-- Why:  a delivery's lease and its next time are a small row of their own: leasing neither rewrites the message nor looks
--       at what was delivered before.
-- Read: deliveries/jobs.store.ts
-- Lock: notify.deliveries against writes while its jobs are copied
create table notify.delivery_jobs (
  tenant text not null,
  delivery_id uuid not null,
  channel_id uuid not null,
  -- Time of the next attempt.
  due_at timestamptz not null,
  -- End of the lease; null while no process attempts it. Not indexed, so that a lease is an update in place.
  leased_until timestamptz,
  -- Number of the lease: a worker may settle only the one that it has.
  lease integer not null default 0,
  primary key (tenant, delivery_id),
  foreign key (tenant, delivery_id) references notify.deliveries (tenant, id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
create index delivery_jobs_due on notify.delivery_jobs (tenant, channel_id, due_at, delivery_id);

lock table notify.deliveries in share mode;
update notify.deliveries set state = case when attempts > 1 then 'failed' else 'pending' end, attempts = attempts - 1
  where state = 'leased';
insert into notify.delivery_jobs (tenant, delivery_id, channel_id, due_at)
  select tenant, id, channel_id, due_at from notify.deliveries where due_at is not null;
drop index notify.deliveries_due;
alter table notify.deliveries drop constraint deliveries_state_check,
  add constraint deliveries_state_check
    check (state in ('pending', 'failed', 'sent', 'delivered', 'dead-lettered', 'cancelled'));

alter table notify.delivery_jobs enable row level security;
create policy tenant on notify.delivery_jobs to landfall_app using (tenant = kernel.tenant());
create policy work on notify.delivery_jobs to landfall_system using (true);
grant select, insert, update, delete on notify.delivery_jobs to landfall_app, landfall_system;
