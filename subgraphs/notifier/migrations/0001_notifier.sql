-- Why:  what is accepted is delivered, or its reason is on record: events, rules, channels, deliveries and their attempts.
-- Read: every *.store.ts of this module
-- Lock: none, the schema is new
create schema notify;
grant usage on schema notify to landfall_app, landfall_system;

-- The queue `notify:events`: an event is here once it was accepted.
create table notify.events (
  tenant text not null,
  id uuid not null,
  producer text not null,
  -- The producer's own id: a repetition is the same event.
  event_id text not null,
  kind text not null,
  at timestamptz not null,
  actor text,
  severity text not null check (severity in ('info', 'warning', 'critical')),
  status text not null check (status in ('firing', 'acknowledged', 'resolved')),
  attributes jsonb not null default '{}' check (jsonb_typeof(attributes) = 'object'),
  payload jsonb not null default '{}' check (jsonb_typeof(payload) = 'object'),
  correlation_id text not null,
  received_at timestamptz not null default kernel.now(),
  -- Null until it was routed.
  routed_at timestamptz,
  -- Rules by which it was routed, so that the same question later has the same answer.
  rule_set_version integer,
  primary key (tenant, id),
  unique (tenant, producer, event_id)
);
-- Across tenants: the worker routes what is due.
create index events_unrouted on notify.events (tenant, id) where routed_at is null;

create table notify.channels (
  tenant text not null,
  id uuid not null,
  name text not null check (name <> ''),
  type text not null check (type in ('slack', 'teams', 'email', 'webhook', 'pagerduty')),
  -- Without anything secret.
  config jsonb not null check (jsonb_typeof(config) = 'object'),
  -- Sealed; null where the type needs none.
  credential bytea,
  is_enabled boolean not null default true,
  -- Null while the channel works; otherwise what a person does about it.
  disabled_reason text,
  -- Circuit breaker (spec 8): failures in a row, and the time until which nothing is sent.
  failures integer not null default 0 check (failures >= 0),
  open_until timestamptz,
  -- Time of the first failure since the last success.
  failing_since timestamptz,
  created_by text not null,
  created_at timestamptz not null default kernel.now(),
  updated_at timestamptz not null default kernel.now(),
  removed_at timestamptz,
  version integer not null default 1,
  primary key (tenant, id)
);
create unique index channels_name on notify.channels (tenant, name) where removed_at is null;

-- Secrets that sign a webhook's deliveries: at most one without an end, and those that it replaced.
create table notify.webhook_secrets (
  tenant text not null,
  id uuid not null,
  channel_id uuid not null,
  sealed bytea not null,
  -- Last four characters, so that people can tell secrets apart.
  hint text not null,
  -- SHA-256 of the secret, its first 16 hexadecimal digits.
  fingerprint text not null,
  created_at timestamptz not null default kernel.now(),
  active_at timestamptz not null,
  expires_at timestamptz,
  -- A delivery that was signed by it alone was answered with 2xx.
  confirmed_at timestamptz,
  primary key (tenant, id),
  foreign key (tenant, channel_id) references notify.channels (tenant, id)
);
create index webhook_secrets_channel on notify.webhook_secrets (tenant, channel_id, active_at);

create table notify.rules (
  tenant text not null,
  id uuid not null,
  name text not null check (name <> ''),
  is_enabled boolean not null default true,
  -- Lower ones are tried first.
  priority integer not null,
  -- Matchers, actions and whether the search goes on.
  definition jsonb not null check (jsonb_typeof(definition) = 'object'),
  created_by text not null,
  created_at timestamptz not null default kernel.now(),
  updated_at timestamptz not null default kernel.now(),
  removed_at timestamptz,
  version integer not null default 1,
  primary key (tenant, id)
);
create unique index rules_name on notify.rules (tenant, name) where removed_at is null;

-- Rules of a tenant as they were in force together.
create table notify.rule_sets (
  tenant text not null,
  version integer not null,
  rules jsonb not null check (jsonb_typeof(rules) = 'array'),
  created_at timestamptz not null default kernel.now(),
  primary key (tenant, version)
);

-- Silences, maintenance and time intervals, each a document of its kind.
create table notify.policies (
  tenant text not null,
  id uuid not null,
  kind text not null check (kind in ('silence', 'maintenance', 'time_interval')),
  name text not null check (name <> ''),
  document jsonb not null check (jsonb_typeof(document) = 'object'),
  -- End of a silence or maintenance, which may be ended early.
  ends_at timestamptz,
  created_by text not null,
  created_at timestamptz not null default kernel.now(),
  updated_at timestamptz not null default kernel.now(),
  removed_at timestamptz,
  version integer not null default 1,
  primary key (tenant, id)
);
create unique index policies_name on notify.policies (tenant, kind, name) where removed_at is null;

-- Templates of a tenant; those that Landfall ships are part of the program.
create table notify.templates (
  tenant text not null,
  id uuid not null,
  -- Name of the document, and what it is found by.
  template_id text not null,
  key text not null,
  channel_type text not null check (channel_type in ('slack', 'teams', 'email', 'webhook', 'pagerduty')),
  locale text not null,
  -- The document as it was saved (spec 2.3), and as it is in force, compiled.
  draft jsonb not null check (jsonb_typeof(draft) = 'object'),
  published jsonb check (jsonb_typeof(published) = 'object'),
  compiled jsonb check (jsonb_typeof(compiled) = 'object'),
  published_at timestamptz,
  created_by text not null,
  created_at timestamptz not null default kernel.now(),
  updated_at timestamptz not null default kernel.now(),
  removed_at timestamptz,
  version integer not null default 1,
  primary key (tenant, id),
  check ((published is null) = (compiled is null))
);
create unique index templates_key on notify.templates (tenant, key, channel_type, locale) where removed_at is null;
create unique index templates_template_id on notify.templates (tenant, template_id) where removed_at is null;

-- A delivery is its own job.
create table notify.deliveries (
  tenant text not null,
  id uuid not null,
  event_id uuid not null,
  -- Rule with the place of its action.
  rule_id uuid,
  action_index integer,
  channel_id uuid not null,
  template_key text not null,
  -- Why this message: first, new_members, repeat, escalation, resolved, test.
  reason text not null,
  state text not null check (state in ('pending', 'leased', 'failed', 'sent', 'delivered', 'dead-lettered', 'cancelled')),
  -- Attempts so far; a worker may settle only the attempt that it leased.
  attempts integer not null default 0 check (attempts >= 0),
  -- Attempts before somebody retried it, which begins the schedule anew.
  earlier_attempts integer not null default 0 check (earlier_attempts <= attempts),
  -- Time of the next attempt, while leased the end of the lease; null once it is over.
  due_at timestamptz,
  -- The receiver's id of what was sent: PagerDuty's dedup_key, a message's timestamp (spec 2.9).
  external_id text,
  subject text,
  body text not null,
  -- Plain-text part of an HTML mail.
  text_part text,
  content_type text not null,
  correlation_id text not null,
  -- The delivery that this one repeats on another channel.
  forced_from uuid,
  created_at timestamptz not null default kernel.now(),
  completed_at timestamptz,
  primary key (tenant, id),
  -- Routing an event again makes no second delivery; one that repeats another on a different channel is one more.
  unique nulls not distinct (tenant, event_id, rule_id, action_index, forced_from),
  foreign key (tenant, event_id) references notify.events (tenant, id),
  foreign key (tenant, channel_id) references notify.channels (tenant, id),
  check ((due_at is null) = (state in ('sent', 'delivered', 'dead-lettered', 'cancelled')))
) with (fillfactor = 80);
-- Across tenants: the worker leases what is due, of each channel and tenant as much as its share.
create index deliveries_due on notify.deliveries (tenant, channel_id, due_at, id) where due_at is not null;
create index deliveries_unsettled on notify.deliveries (tenant, state, id desc) where state not in ('sent', 'delivered');
create index deliveries_channel on notify.deliveries (tenant, channel_id, id desc);
create index deliveries_external_id on notify.deliveries (tenant, external_id) where external_id is not null;

create table notify.attempts (
  tenant text not null,
  delivery_id uuid not null,
  -- From 1.
  number integer not null check (number > 0),
  started_at timestamptz not null,
  latency_ms integer not null check (latency_ms >= 0),
  outcome text not null check (outcome in ('delivered', 'sent', 'retry', 'failed')),
  http_status integer,
  -- What went wrong, for people; null where nothing did.
  error text,
  -- Beginning of the answer, with secrets replaced.
  excerpt text,
  retry_at timestamptz,
  primary key (tenant, delivery_id, number),
  foreign key (tenant, delivery_id) references notify.deliveries (tenant, id) on delete cascade
);

create table notify.dead_letters (
  tenant text not null,
  id uuid not null,
  delivery_id uuid not null,
  channel_id uuid not null,
  -- Class of the last failure, and its words.
  cause text not null,
  error text not null,
  attempts integer not null,
  first_failed_at timestamptz not null,
  created_at timestamptz not null default kernel.now(),
  status text not null default 'open' check (status in ('open', 'retried', 'discarded')),
  note text,
  settled_by text,
  settled_at timestamptz,
  version integer not null default 1,
  primary key (tenant, id),
  foreign key (tenant, delivery_id) references notify.deliveries (tenant, id)
);
create index dead_letters_status on notify.dead_letters (tenant, status, id desc);
create unique index dead_letters_open on notify.dead_letters (tenant, delivery_id) where status = 'open';

-- An event that a rule matched and that was not sent: each has its reason.
create table notify.suppressions (
  tenant text not null,
  id uuid not null,
  event_id uuid not null,
  rule_id uuid,
  channel_id uuid,
  -- Kind of policy: silence, inhibition, maintenance, interval, throttle, flapping, no_template, channel.
  policy text not null,
  policy_id text,
  reason text not null,
  created_at timestamptz not null default kernel.now(),
  primary key (tenant, id),
  foreign key (tenant, event_id) references notify.events (tenant, id)
);
create index suppressions_event on notify.suppressions (tenant, event_id);

-- An event that waits for one action of a rule: muted hours end, or an active interval begins.
create table notify.waiting_events (
  tenant text not null,
  id uuid not null,
  event_id uuid not null,
  rule_set_version integer not null,
  rule_id uuid not null,
  action_index integer not null check (action_index >= 0),
  due_at timestamptz not null,
  policy text not null,
  policy_id text not null,
  reason text not null,
  created_at timestamptz not null default kernel.now(),
  primary key (tenant, id),
  unique (tenant, event_id, rule_id, action_index),
  foreign key (tenant, event_id) references notify.events (tenant, id)
);
create index waiting_events_due on notify.waiting_events (due_at);

-- Messages of an action that share a count, for throttles.
create table notify.throttle_counts (
  tenant text not null,
  key text not null,
  window_ends_at timestamptz not null,
  count integer not null check (count > 0),
  primary key (tenant, key)
);

-- Names and relations of the things that the platform's own events are about, kept from these events.
create table notify.subjects (
  tenant text not null,
  kind text not null check (kind in ('Product', 'Release', 'Environment', 'Target', 'Deployment')),
  id uuid not null,
  facts jsonb not null check (jsonb_typeof(facts) = 'object'),
  primary key (tenant, kind, id)
);

-- Position up to which the platform's own events were read. Those of transactions before `since` notify nobody.
create table notify.event_feed (
  singleton boolean primary key default true check (singleton),
  xid xid8 not null,
  event_id bigint not null,
  since xid8 not null default pg_current_xact_id()
);
insert into notify.event_feed (xid, event_id) values ('0', 0);
alter table notify.event_feed enable row level security;
create policy following on notify.event_feed to landfall_system using (true);
grant select, update on notify.event_feed to landfall_system;

do $$
declare name text;
begin
  foreach name in array array['events', 'channels', 'webhook_secrets', 'rules', 'rule_sets', 'templates', 'deliveries', 'attempts', 'dead_letters',
    'suppressions', 'policies', 'waiting_events', 'throttle_counts', 'subjects']
  loop
    execute format('alter table notify.%I enable row level security', name);
    execute format('create policy tenant on notify.%I to landfall_app using (tenant = kernel.tenant())', name);
    execute format('create policy work on notify.%I to landfall_system using (true)', name);
    execute format('grant select, insert, update on notify.%I to landfall_app', name);
    execute format('grant select, insert, update on notify.%I to landfall_system', name);
  end loop;
end $$;
grant delete on notify.webhook_secrets to landfall_app;
grant delete on notify.waiting_events, notify.throttle_counts, notify.events, notify.deliveries, notify.attempts,
  notify.dead_letters, notify.suppressions, notify.rule_sets to landfall_system;
