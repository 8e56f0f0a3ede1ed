-- Why:  events of one action are told together, in groups as they happen and in digests by a calendar; conditions that
--       fire keep others quiet, and those that flap are told once.
-- Read: routing/groups.store.ts, routing/group-events.store.ts, routing/conditions.store.ts, deliveries/deliveries.store.ts
-- Lock: notify.deliveries against writes while its index is built

-- A group or digest with its clock. A message of it is decided under the lock of its row.
create table notify.groups (
  tenant text not null,
  id uuid not null,
  -- SHA-256 of the rule, the place of its action and the values that the events share.
  key text not null,
  kind text not null check (kind in ('group', 'digest')),
  rule_id uuid not null,
  action_index integer not null check (action_index >= 0),
  -- Rules by which its newest event was routed.
  rule_set_version integer not null,
  first_at timestamptz not null default kernel.now(),
  -- Time of its last message; null before the first.
  told_at timestamptz,
  -- Time at which its next message is decided; null while there is none to come.
  due_at timestamptz,
  -- Policy that keeps the next message back, in words; null where only its times do.
  reason text,
  closed_at timestamptz,
  primary key (tenant, id),
  check (closed_at is null or due_at is null)
);
create unique index groups_open on notify.groups (tenant, key) where closed_at is null;
-- Across tenants: the worker takes what is due.
create index groups_due on notify.groups (due_at) where due_at is not null;

-- Events of groups, each with the message that told it.
create table notify.group_events (
  tenant text not null,
  group_id uuid not null,
  event_id uuid not null,
  -- Condition that the event is about, of which the newest event counts.
  condition text not null,
  -- Whether it counts for the next message: it is new, or the newest of a condition that goes on.
  is_member boolean not null default true,
  -- Whether the last message said that its condition goes on.
  is_told boolean not null default false,
  -- First message that told it.
  delivery_id uuid,
  -- Whether a suppression has the reason for which it was not told.
  is_suppressed boolean not null default false,
  primary key (tenant, group_id, event_id),
  foreign key (tenant, group_id) references notify.groups (tenant, id),
  foreign key (tenant, event_id) references notify.events (tenant, id)
);
create index group_events_members on notify.group_events (tenant, group_id, event_id) where is_member;
create index group_events_event on notify.group_events (tenant, event_id);
create index group_events_delivery on notify.group_events (tenant, delivery_id) where delivery_id is not null;

-- Messages of a group may be about the same event: reminders are.
alter table notify.deliveries add column group_id uuid,
  drop constraint deliveries_tenant_event_id_rule_id_action_index_forced_from_key;
create unique index deliveries_event on notify.deliveries (tenant, event_id, rule_id, action_index, forced_from)
  nulls not distinct where group_id is null;
create index deliveries_group on notify.deliveries (tenant, group_id, id) where group_id is not null;

alter table notify.policies drop constraint policies_kind_check, add constraint policies_kind_check
  check (kind in ('silence', 'maintenance', 'time_interval', 'inhibition', 'flapping', 'quiet_hours'));

-- Last status of the conditions of events that have a duration.
create table notify.conditions (
  tenant text not null,
  -- SHA-256 of what names the condition, as in PagerDuty's dedup_key.
  key text not null,
  -- Newest event.
  event_id uuid not null,
  status text not null check (status in ('firing', 'acknowledged', 'resolved')),
  -- Times of the changes that may still count as flapping, the oldest first.
  changed_at jsonb not null default '[]' check (jsonb_typeof(changed_at) = 'array'),
  -- Policy by which it flaps, and the time at which it is quiet unless it changes before; null while it does not flap.
  policy_id uuid,
  due_at timestamptz,
  updated_at timestamptz not null default kernel.now(),
  primary key (tenant, key)
);
create index conditions_firing on notify.conditions (tenant, updated_at desc) where status = 'firing';
-- Across tenants: the worker takes what is quiet by now.
create index conditions_due on notify.conditions (due_at) where due_at is not null;

do $$
declare name text;
begin
  foreach name in array array['groups', 'group_events', 'conditions']
  loop
    execute format('alter table notify.%I enable row level security', name);
    execute format('create policy tenant on notify.%I to landfall_app using (tenant = kernel.tenant())', name);
    execute format('create policy work on notify.%I to landfall_system using (true)', name);
    execute format('grant select on notify.%I to landfall_app', name);
    execute format('grant select, insert, update, delete on notify.%I to landfall_system', name);
  end loop;
end $$;
