-- Why:  evidence is handed to auditors as a fixed list of artifacts, and as an archive that verifies years later.
-- Read: bundles/bundles.store.ts, exports/exports.store.ts
-- Lock: none, the tables are new

-- List of artifacts as they were at one time. Nothing changes a bundle or its artifacts: no role has the right to.
create table evidence.bundles (
  tenant text not null,
  id uuid not null,
  -- Null where the artifacts were chosen one by one.
  subject_kind text check (subject_kind in ('release', 'deployment')),
  subject_id uuid,
  artifact_count integer not null check (artifact_count >= 0),
  size_bytes bigint not null check (size_bytes >= 0),
  created_by text not null,
  created_at timestamptz not null default kernel.now(),
  primary key (tenant, id),
  check ((subject_kind is null) = (subject_id is null))
);
create index bundles_subject on evidence.bundles (tenant, subject_kind, subject_id, id);

create table evidence.bundle_artifacts (
  tenant text not null,
  bundle_id uuid not null,
  -- Path in every export of the bundle.
  path text not null,
  artifact_id uuid not null,
  artifact_type text not null,
  bom_ref text not null,
  serial_number text not null,
  storage_key text not null,
  media_type text not null,
  sha256 text not null check (sha256 ~ '^sha256:[0-9a-f]{64}$'),
  size_bytes bigint not null,
  -- When the artifact was put.
  created_at timestamptz not null,
  primary key (tenant, bundle_id, path),
  foreign key (tenant, bundle_id) references evidence.bundles (tenant, id)
);
create index bundle_artifacts_artifact on evidence.bundle_artifacts (tenant, artifact_id);

-- The row is the job: a worker leases it until `due_at`, and one that was killed leaves it to the next.
create table evidence.exports (
  tenant text not null,
  id uuid not null,
  bundle_id uuid not null,
  status text not null default 'queued' check (status in ('queued', 'running', 'complete', 'failed')),
  requested_by text not null,
  created_at timestamptz not null default kernel.now(),
  -- When a worker may take it: the end of a lease, or of the pause after a failed attempt.
  due_at timestamptz not null default kernel.now(),
  attempts integer not null default 0,
  checked_count integer not null default 0,
  missing_count integer not null default 0,
  failure text,
  root_hash text,
  key_id text,
  signed_at timestamptz,
  ended_at timestamptz,
  version integer not null default 1,
  primary key (tenant, id),
  foreign key (tenant, bundle_id) references evidence.bundles (tenant, id),
  check ((status in ('complete', 'failed')) = (ended_at is not null)),
  check (status <> 'complete' or (root_hash is not null and key_id is not null and signed_at is not null)),
  check ((status = 'failed') = (failure is not null))
);
create unique index exports_open on evidence.exports (tenant, bundle_id) where status in ('queued', 'running');
create index exports_bundle on evidence.exports (tenant, bundle_id, id);
create index exports_due on evidence.exports (due_at) where status in ('queued', 'running');

-- Files of an export that are no artifacts: the manifest, its signature, the programs that check it.
create table evidence.export_files (
  tenant text not null,
  export_id uuid not null,
  path text not null,
  content bytea not null,
  primary key (tenant, export_id, path),
  foreign key (tenant, export_id) references evidence.exports (tenant, id)
);

do $$
declare name text;
begin
  foreach name in array array['bundles', 'bundle_artifacts', 'exports', 'export_files']
  loop
    execute format('alter table evidence.%I enable row level security', name);
    execute format('create policy tenant on evidence.%I to landfall_app using (tenant = kernel.tenant())', name);
    execute format('grant select, insert on evidence.%I to landfall_app', name);
  end loop;
end $$;
grant update on evidence.exports to landfall_app;
create policy work on evidence.exports to landfall_system using (true);
grant select, update on evidence.exports to landfall_system;
