-- Why:  mirrors of advisory sources are carried to a site as they are, and each source says how far it is.
-- Read: mirror/mirror-sources.store.ts
-- Lock: none, the table is new
create table airgap.mirror_sources (
  tenant text not null,
  source_id text not null,
  kind text not null check (kind in ('feeds', 'vex')),
  -- Folder of the mirrors below the data directory.
  folder text not null,
  -- Registered VEX source that publishes the documents; null for feeds.
  vex_source text,
  state text not null check (state in ('queued', 'imported', 'complete', 'failed')),
  -- Imports that took effect.
  sequence integer not null default 0,
  records integer not null default 0,
  rejected integer not null default 0,
  started_at timestamptz,
  finished_at timestamptz,
  error_code text,
  error_message text,
  requested_by text not null,
  requested_through text not null,
  lease_until timestamptz,
  version integer not null default 1,
  primary key (tenant, source_id)
);
create index mirror_sources_due on airgap.mirror_sources (tenant, source_id) where state in ('queued', 'imported');

alter table airgap.mirror_sources enable row level security;
create policy tenant on airgap.mirror_sources to landfall_app using (tenant = kernel.tenant());
create policy work on airgap.mirror_sources to landfall_system using (true);
grant select, insert, update on airgap.mirror_sources to landfall_app;
grant select, update on airgap.mirror_sources to landfall_system;
