-- Why:  sites without a network tell each other what happened: jobs wait in a queue, are carried as signed bundles, and are
--       merged where they arrive.
-- Read: sync/jobs.store.ts, sync/sites.store.ts, sync/conflicts.store.ts, sync/feed.store.ts
-- Lock: none, the tables are new

-- Identity, clock and sequence of a tenant's own site.
create table airgap.sync_nodes (
  tenant text primary key,
  site_id uuid not null,
  -- Latest stamp of the hybrid logical clock: milliseconds and a counter, as text that sorts by time.
  stamp text collate "C" not null,
  -- Sequence and digest of the latest bundle that was exported.
  sequence integer not null default 0,
  bundle_digest text
);

-- Sites whose bundles a person admitted.
create table airgap.sync_sites (
  tenant text not null,
  site_id uuid not null,
  name text not null,
  -- SubjectPublicKeyInfo in base64.
  public_key text not null,
  key_id text not null,
  -- Latest bundle that was imported, and the stamp of its last entry.
  sequence integer not null default 0,
  bundle_digest text,
  stamp text collate "C" not null default '',
  added_by text not null,
  added_at timestamptz not null default kernel.now(),
  imported_at timestamptz,
  version integer not null default 1,
  primary key (tenant, site_id)
);

-- Own jobs, and those that came in bundles.
create table airgap.sync_jobs (
  tenant text not null,
  id uuid not null,
  site_id uuid not null,
  stamp text collate "C" not null,
  kind text not null check (kind in ('evidence', 'kit_request', 'unknown')),
  key text not null,
  digest text not null,
  payload text not null check (octet_length(payload) <= 262144),
  state text not null check (state in ('queued', 'exported', 'applied', 'duplicate', 'conflict', 'refused')),
  -- Why it is refused.
  refusal text,
  -- Bundle of its site by which it left or came; null while it is queued.
  sequence integer,
  created_at timestamptz not null default kernel.now(),
  primary key (tenant, id),
  unique (tenant, site_id, stamp)
);
create index sync_jobs_key on airgap.sync_jobs (tenant, kind, key);
create index sync_jobs_queued on airgap.sync_jobs (tenant, stamp) where state = 'queued';
create index sync_jobs_sequence on airgap.sync_jobs (tenant, site_id, sequence, stamp);

-- Bundles that were exported, so that a lost one is made again as it was.
create table airgap.sync_exports (
  tenant text not null,
  sequence integer not null,
  digest text not null,
  previous_digest text,
  created_at text not null,
  entries integer not null,
  size_bytes integer not null,
  primary key (tenant, sequence)
);

-- Keys of jobs under which sites say different things, and what a person decided.
create table airgap.sync_conflicts (
  tenant text not null,
  id uuid not null,
  kind text not null,
  key text not null,
  state text not null check (state in ('open', 'resolved')),
  -- Side that a person chose; it counts also while a later side reopens the conflict.
  chosen_digest text,
  reason text,
  resolved_by text,
  resolved_at timestamptz,
  found_at timestamptz not null default kernel.now(),
  version integer not null default 1,
  primary key (tenant, id),
  unique (tenant, kind, key)
);

do $$
declare name text;
begin
  foreach name in array array['sync_nodes', 'sync_sites', 'sync_jobs', 'sync_exports', 'sync_conflicts']
  loop
    execute format('alter table airgap.%I enable row level security', name);
    execute format('create policy tenant on airgap.%I to landfall_app using (tenant = kernel.tenant())', name);
    execute format('grant select, insert, update on airgap.%I to landfall_app', name);
  end loop;
end $$;

-- Position up to which the platform's own events were read.
create table airgap.event_feed (
  singleton boolean primary key default true check (singleton),
  xid xid8 not null,
  event_id bigint not null
);
-- What happened before is not told: sites that were sealed before this version begin with their next deployment.
insert into airgap.event_feed (xid, event_id) values (pg_current_xact_id(), 0);
alter table airgap.event_feed enable row level security;
create policy following on airgap.event_feed to landfall_system using (true);
grant select, update on airgap.event_feed to landfall_system;
