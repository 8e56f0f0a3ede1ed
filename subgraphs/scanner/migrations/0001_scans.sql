-- Why:  scans of software bills of materials: the bill, its components, and what was found about them, frozen.
-- Read: scans/scans.store.ts, scans/components.store.ts, scans/findings.store.ts, scans/documents.store.ts
-- Lock: none; first migration
create schema scanner;
grant usage on schema scanner to landfall_app, landfall_system;

-- A bill of materials, gzipped and cut into parts of a size that a connection carries well.
create table scanner.documents (
  tenant text not null,
  -- Of the bytes before gzip.
  digest text not null check (digest ~ '^sha256:[0-9a-f]{64}$'),
  part integer not null check (part >= 0),
  bytes bytea not null,
  primary key (tenant, digest, part)
);
alter table scanner.documents enable row level security;
create policy tenant on scanner.documents to landfall_app using (tenant = kernel.tenant());
grant select, insert, delete on scanner.documents to landfall_app;

create table scanner.scans (
  tenant text not null,
  id uuid not null,
  -- SHA-256 of the bill's digest and the subject: the same bill of the same subject is one scan.
  identity text not null,
  status text not null check (status in ('queued', 'running', 'completed', 'failed')),
  image_digest text check (image_digest ~ '^sha256:[0-9a-f]{64}$'),
  subject_name text,
  subject_version text,
  subject_purl text,
  sbom_digest text not null,
  sbom_format text not null check (sbom_format in ('cyclonedx', 'spdx')),
  -- Coverage: each component is counted in exactly one of the other four.
  components integer,
  evaluated integer,
  no_purl integer,
  unknown_ecosystem integer,
  bad_version integer,
  finding_count integer,
  -- Newest score, in parts per million; null also where nothing was evaluated.
  score_ppm integer check (score_ppm between 0 and 1000000),
  root_hash text,
  error text,
  requested_by text not null,
  created_at timestamptz not null default kernel.now(),
  completed_at timestamptz,
  version integer not null default 1,
  primary key (tenant, id),
  constraint scans_identity unique (tenant, identity),
  check (components = evaluated + no_purl + unknown_ecosystem + bad_version),
  check (status <> 'completed' or num_nulls(components, evaluated, no_purl, unknown_ecosystem, bad_version, finding_count, completed_at) = 0),
  check ((status = 'failed') = (error is not null))
);
create index scans_image on scanner.scans (tenant, image_digest, id);
create index scans_open on scanner.scans (tenant, id) where status in ('queued', 'running');
alter table scanner.scans enable row level security;
create policy tenant on scanner.scans to landfall_app using (tenant = kernel.tenant());
create policy work on scanner.scans for select to landfall_system using (true);
grant select, insert, update, delete on scanner.scans to landfall_app;
grant select on scanner.scans to landfall_system;

create table scanner.components (
  tenant text not null,
  scan_id uuid not null,
  -- Position in the bill, from 0.
  n integer not null check (n >= 0),
  name text not null,
  version text,
  -- Canonical; null where the bill has none that can be read.
  purl text,
  -- Canonical without the qualifiers that do not identify (proofs 2.1).
  component_key text,
  -- As OSV writes it.
  ecosystem text,
  -- Null where the bill has no dependencies.
  is_direct boolean,
  outcome text not null check (outcome in ('evaluated', 'no_purl', 'unknown_ecosystem', 'bad_version')),
  primary key (tenant, scan_id, n),
  foreign key (tenant, scan_id) references scanner.scans (tenant, id) on delete cascade
);
create index components_key on scanner.components (tenant, component_key, scan_id) where component_key is not null;
alter table scanner.components enable row level security;
create policy tenant on scanner.components to landfall_app using (tenant = kernel.tenant());
grant select, insert, delete on scanner.components to landfall_app;

create table scanner.findings (
  tenant text not null,
  scan_id uuid not null,
  finding_id text not null check (finding_id ~ '^[0-9a-f]{32}$'),
  -- The frozen input of the score (proofs 2.1), without the age, which is computed at each replay.
  finding jsonb not null check (jsonb_typeof(finding) = 'object'),
  vuln_id text not null,
  purl text not null,
  component_key text not null,
  class text not null check (class in ('vulnerability', 'informational')),
  -- Continuity over time: stays when a CVE is assigned later.
  alias_group bigint not null,
  aliases text[] not null default '{}',
  title text,
  -- CVSS base score times ten or the policy's value of the vendor's word; null where nothing rates it.
  severity_tenths integer check (severity_tenths between 0 and 100),
  fixed_versions text[] not null default '{}',
  -- Components from a direct dependency to this one, as canonical purls or names; empty where the bill has no dependencies.
  path text[] not null default '{}',
  primary key (tenant, scan_id, finding_id),
  foreign key (tenant, scan_id) references scanner.scans (tenant, id) on delete cascade
);
create index findings_severity on scanner.findings (tenant, scan_id, severity_tenths desc nulls last, finding_id);
create index findings_continuity on scanner.findings (tenant, component_key, alias_group);
alter table scanner.findings enable row level security;
create policy tenant on scanner.findings to landfall_app using (tenant = kernel.tenant());
grant select, insert, delete on scanner.findings to landfall_app;
