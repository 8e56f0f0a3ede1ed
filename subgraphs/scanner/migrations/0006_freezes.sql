-- Why:  a scan is frozen again when its inputs change, and each score that was replayed stays replayable (spec 2.4, proofs 1).
-- Read: manifests/manifests.store.ts, manifests/freezes.store.ts, rescoring/*.store.ts, replays/*.store.ts
-- Lock: access exclusive on scans, findings, manifests, score_replays and proof_bundles while columns and keys are added
alter table scanner.scans
  -- Number of the newest freeze, whose results the scan and its findings have.
  add column freeze_number integer not null default 1 check (freeze_number > 0),
  -- Digests of the inputs that concern the scan, by role; null where they were not recorded.
  add column inputs jsonb check (jsonb_typeof(inputs) = 'object'),
  -- First cycle that found another input in force than the newest freeze has; null while there is none.
  add column rescore_due_at timestamptz;
-- Across tenants: a cycle serves the scans that wait longest, the newest of those first.
create index scans_rescore_due on scanner.scans (rescore_due_at, id desc) where rescore_due_at is not null;
create index scans_completed on scanner.scans (tenant, completed_at) where status = 'completed';

-- History of a scan's score; it stays when the manifest of a freeze is deleted.
create table scanner.freezes (
  tenant text not null,
  scan_id uuid not null,
  -- From 1.
  freeze_number integer not null check (freeze_number > 0),
  manifest_hash text not null check (manifest_hash ~ '^sha256:[0-9a-f]{64}$'),
  -- Null where nothing was evaluated.
  score_ppm integer check (score_ppm between 0 and 1000000),
  root_hash text check (root_hash ~ '^sha256:[0-9a-f]{64}$'),
  components integer not null,
  evaluated integer not null,
  no_purl integer not null,
  unknown_ecosystem integer not null,
  bad_version integer not null,
  finding_count integer not null,
  -- Roles of the inputs that changed since the freeze before; empty for the first.
  causes text[] not null default '{}',
  -- Findings that appeared and went away, and why (rescoring/changes.ts); a list is cut, its count is not.
  appeared_count integer not null default 0,
  disappeared_count integer not null default 0,
  changes jsonb not null default '[]' check (jsonb_typeof(changes) = 'array'),
  created_at timestamptz not null,
  primary key (tenant, scan_id, freeze_number),
  foreign key (tenant, scan_id) references scanner.scans (tenant, id) on delete cascade,
  check (components = evaluated + no_purl + unknown_ecosystem + bad_version)
);
alter table scanner.freezes enable row level security;
create policy tenant on scanner.freezes to landfall_app using (tenant = kernel.tenant());
grant select, insert on scanner.freezes to landfall_app;

insert into scanner.freezes (tenant, scan_id, freeze_number, manifest_hash, score_ppm, root_hash, components, evaluated, no_purl,
  unknown_ecosystem, bad_version, finding_count, created_at)
select m.tenant, m.scan_id, 1, m.manifest_hash, s.score_ppm, s.root_hash, s.components, s.evaluated, s.no_purl,
  s.unknown_ecosystem, s.bad_version, s.finding_count, m.created_at
from scanner.manifests m join scanner.scans s on s.tenant = m.tenant and s.id = m.scan_id;

-- Never changed. Deleted with its scan, or when it is replaced and nothing refers to it.
alter table scanner.manifests add column freeze_number integer not null default 1;
alter table scanner.manifests
  drop constraint manifests_pkey,
  add primary key (tenant, scan_id, freeze_number),
  add foreign key (tenant, scan_id, freeze_number) references scanner.freezes (tenant, scan_id, freeze_number) on delete cascade;
grant delete on scanner.manifests to landfall_app;

-- Findings of a replaced freeze, as the score reads them. Those of the newest are in scanner.findings.
create table scanner.frozen_findings (
  tenant text not null,
  scan_id uuid not null,
  freeze_number integer not null,
  findings jsonb not null check (jsonb_typeof(findings) = 'array'),
  primary key (tenant, scan_id, freeze_number),
  foreign key (tenant, scan_id, freeze_number) references scanner.manifests (tenant, scan_id, freeze_number) on delete cascade
);
alter table scanner.frozen_findings enable row level security;
create policy tenant on scanner.frozen_findings to landfall_app using (tenant = kernel.tenant());
grant select, insert, delete on scanner.frozen_findings to landfall_app;

-- A new freeze replaces the findings and outcomes of the scan; what a finding was is in frozen_findings.
grant update on scanner.findings, scanner.components to landfall_app;

-- The key keeps the freeze of a replay or bundle from being deleted.
alter table scanner.score_replays add column freeze_number integer not null default 1;
alter table scanner.score_replays
  add foreign key (tenant, scan_id, freeze_number) references scanner.manifests (tenant, scan_id, freeze_number);
create index score_replays_freeze on scanner.score_replays (tenant, scan_id, freeze_number);
alter table scanner.proof_bundles add column freeze_number integer not null default 1;
alter table scanner.proof_bundles
  add foreign key (tenant, scan_id, freeze_number) references scanner.manifests (tenant, scan_id, freeze_number);
create index proof_bundles_freeze on scanner.proof_bundles (tenant, scan_id, freeze_number);

-- Inputs that the last cycle of rescoring found in force: feeds of the installation (`*`), policy and VEX of a tenant.
create table scanner.observed_inputs (
  tenant text not null,
  role text not null,
  digest text not null,
  observed_at timestamptz not null default kernel.now(),
  primary key (tenant, role)
);
alter table scanner.observed_inputs enable row level security;
create policy tenant on scanner.observed_inputs to landfall_app using (tenant = kernel.tenant());
create policy work on scanner.observed_inputs to landfall_system using (true);
grant select, insert, update on scanner.observed_inputs to landfall_system;
