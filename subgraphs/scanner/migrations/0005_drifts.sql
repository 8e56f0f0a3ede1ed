-- Why:  call graphs of scans, computed reachability of their findings, and drifts between two scans (spec 2.5, 4.4).
-- Read: drifts/call-graphs.store.ts, drifts/reachability-jobs.store.ts, drifts/drifts.store.ts
-- Lock: none; new tables

-- A call graph in its stored form; equal graphs of several scans are stored once.
create table scanner.call_graph_contents (
  tenant text not null,
  -- SHA-256 of the stored form.
  digest text not null check (digest ~ '^sha256:[0-9a-f]{64}$'),
  language text not null,
  -- Identity of symbols, edges, entries and sinks; confidence and coverage are not part of it (proofs 5.1).
  graph_hash text not null check (graph_hash ~ '^sha256:[0-9a-f]{64}$'),
  coverage jsonb not null check (jsonb_typeof(coverage) = 'object'),
  symbols integer not null check (symbols >= 0),
  edges integer not null check (edges >= 0),
  entries integer not null check (entries > 0),
  sinks integer not null check (sinks >= 0),
  -- Bytes of the stored form.
  size integer not null check (size > 0),
  received_at timestamptz not null default kernel.now(),
  primary key (tenant, digest)
);
alter table scanner.call_graph_contents enable row level security;
create policy tenant on scanner.call_graph_contents to landfall_app using (tenant = kernel.tenant());
grant select, insert, update, delete on scanner.call_graph_contents to landfall_app;

create table scanner.call_graph_parts (
  tenant text not null,
  digest text not null,
  part integer not null check (part >= 0),
  bytes bytea not null,
  primary key (tenant, digest, part),
  foreign key (tenant, digest) references scanner.call_graph_contents (tenant, digest) on delete cascade
);
-- The stored form is compressed already.
alter table scanner.call_graph_parts alter column bytes set storage external;
alter table scanner.call_graph_parts enable row level security;
create policy tenant on scanner.call_graph_parts to landfall_app using (tenant = kernel.tenant());
grant select, insert, delete on scanner.call_graph_parts to landfall_app;

create table scanner.call_graphs (
  tenant text not null,
  scan_id uuid not null,
  language text not null,
  digest text not null,
  imported_by text not null,
  imported_at timestamptz not null default kernel.now(),
  primary key (tenant, scan_id, language),
  foreign key (tenant, scan_id) references scanner.scans (tenant, id) on delete cascade,
  foreign key (tenant, digest) references scanner.call_graph_contents (tenant, digest)
);
create index call_graphs_digest on scanner.call_graphs (tenant, digest);
alter table scanner.call_graphs enable row level security;
create policy tenant on scanner.call_graphs to landfall_app using (tenant = kernel.tenant());
grant select, insert, update, delete on scanner.call_graphs to landfall_app;

create table scanner.reachability_jobs (
  tenant text not null,
  id uuid not null,
  scan_id uuid not null,
  language text not null,
  status text not null check (status in ('queued', 'running', 'completed', 'failed')),
  error text,
  attempts integer not null default 0,
  -- Another process may take over a job from then on.
  lease_until timestamptz,
  requested_by text not null,
  requested_at timestamptz not null default kernel.now(),
  started_at timestamptz,
  finished_at timestamptz,
  primary key (tenant, id),
  foreign key (tenant, scan_id) references scanner.scans (tenant, id) on delete cascade,
  check ((status = 'failed') = (error is not null)),
  check ((status in ('completed', 'failed')) = (finished_at is not null))
);
-- One computation of a scan and language at a time: another one is refused with 409.
create unique index reachability_jobs_open on scanner.reachability_jobs (tenant, scan_id, language)
  where status in ('queued', 'running');
create index reachability_jobs_scan on scanner.reachability_jobs (tenant, scan_id, language, id);
create index reachability_jobs_due on scanner.reachability_jobs (requested_at) where status in ('queued', 'running');
alter table scanner.reachability_jobs enable row level security;
create policy tenant on scanner.reachability_jobs to landfall_app using (tenant = kernel.tenant());
create policy work on scanner.reachability_jobs to landfall_system using (true);
grant select, insert, update on scanner.reachability_jobs to landfall_app;
grant select, update on scanner.reachability_jobs to landfall_system;

-- Reachability of a finding by one call graph. The finding itself is frozen and does not change.
create table scanner.finding_reachability (
  tenant text not null,
  scan_id uuid not null,
  finding_id text not null,
  language text not null,
  reachability text not null
    check (reachability in ('reachable', 'potentially_reachable', 'unknown', 'unreachable')),
  reason text not null,
  -- Key of the vulnerable symbol that is reached.
  symbol text,
  -- Confidence of the weakest edge of the path to it.
  confidence text,
  primary key (tenant, scan_id, language, finding_id),
  foreign key (tenant, scan_id, finding_id) references scanner.findings (tenant, scan_id, finding_id) on delete cascade
);
create index finding_reachability_finding on scanner.finding_reachability (tenant, scan_id, finding_id);
alter table scanner.finding_reachability enable row level security;
create policy tenant on scanner.finding_reachability to landfall_app using (tenant = kernel.tenant());
grant select, insert, delete on scanner.finding_reachability to landfall_app;

create table scanner.drifts (
  tenant text not null,
  -- Derived from the scans, the language and the hashes of both graphs (proofs 5.2).
  id uuid not null,
  head_scan uuid not null,
  base_scan uuid not null,
  language text not null,
  -- Everything else that the result depends on: with other values it is computed again under the same id.
  head_digest text not null,
  base_digest text not null,
  severities_digest text not null,
  head_graph_hash text not null,
  base_graph_hash text not null,
  drift jsonb not null check (jsonb_typeof(drift) = 'object'),
  computed_at timestamptz not null default kernel.now(),
  primary key (tenant, id),
  foreign key (tenant, head_scan) references scanner.scans (tenant, id) on delete cascade,
  foreign key (tenant, base_scan) references scanner.scans (tenant, id) on delete cascade
);
create index drifts_latest on scanner.drifts (tenant, head_scan, language, computed_at desc, id);
create index drifts_base on scanner.drifts (tenant, base_scan, language);
alter table scanner.drifts enable row level security;
create policy tenant on scanner.drifts to landfall_app using (tenant = kernel.tenant());
grant select, insert, update, delete on scanner.drifts to landfall_app;
