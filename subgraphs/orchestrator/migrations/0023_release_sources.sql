-- Why:  releases of a product are created from the images that are pushed to its registries.
-- Read: deciding/sources/sources.store.ts, deciding/sources/candidates.store.ts, deciding/sources/refused-candidates.store.ts
-- Lock: none
create table orchestrator.release_sources (
  tenant text not null,
  id uuid not null,
  product_id uuid not null,
  component text not null,
  repository text not null,
  selection jsonb not null check (jsonb_typeof(selection) = 'object'),
  is_enabled boolean not null default true,
  policy text not null check (policy in ('draft', 'finalize', 'request')),
  version_scheme text not null check (version_scheme in ('image', 'counter')),
  debounce_seconds integer not null check (debounce_seconds between 0 and 3600),
  interval_seconds integer not null check (interval_seconds between 10 and 86400),
  -- Sealed; null: no webhook is accepted.
  webhook_secret bytea,
  -- State of polling, which moves no version. Null: the source is never polled again by itself.
  next_poll_at timestamptz,
  lease_until timestamptz,
  last_poll_at timestamptz,
  -- Failed polls in a row.
  failures integer not null default 0,
  -- Why nothing, or nothing new, was selected by the last poll.
  problem text,
  -- ETag of the tag list, where it is one page, and the hash of its bytes.
  list_etag text,
  list_digest text,
  selected_tag text,
  selected_digest text,
  -- Semantic version or build number of the tag: what the next one is compared with.
  selected_order text,
  selected_at timestamptz,
  created_by text not null,
  created_at timestamptz not null default kernel.now(),
  updated_by text not null,
  updated_at timestamptz not null default kernel.now(),
  version integer not null default 1,
  primary key (tenant, id),
  foreign key (tenant, product_id) references orchestrator.products (tenant, id),
  check ((selected_tag is null) = (selected_digest is null))
);
create unique index release_sources_component on orchestrator.release_sources (tenant, product_id, component);
create index release_sources_due on orchestrator.release_sources (next_poll_at) where next_poll_at is not null;
alter table orchestrator.release_sources enable row level security;
create policy tenant on orchestrator.release_sources to landfall_app using (tenant = kernel.tenant());
create policy polling on orchestrator.release_sources to landfall_system using (true);
grant select, insert, update, delete on orchestrator.release_sources to landfall_app;
grant select (tenant, id, next_poll_at, lease_until), update (lease_until)
  on orchestrator.release_sources to landfall_system;

-- A set of images on its way to a release: first it gathers what is pushed together, then each step of its policy is a
-- transaction that also writes the state, so that a step is never taken twice.
create table orchestrator.release_candidates (
  tenant text not null,
  id uuid not null,
  product_id uuid not null,
  state text not null check (state in ('gathering', 'drafted', 'finalized', 'done', 'refused')),
  policy text not null check (policy in ('draft', 'finalize', 'request')),
  first_change_at timestamptz not null default kernel.now(),
  -- Null in a final state.
  due_at timestamptz,
  lease_until timestamptz,
  attempts integer not null default 0,
  problem text,
  set_digest text,
  release_id uuid,
  primary key (tenant, id),
  foreign key (tenant, product_id) references orchestrator.products (tenant, id),
  foreign key (tenant, release_id) references orchestrator.releases (tenant, id),
  check ((state in ('done', 'refused')) = (due_at is null)),
  check (state in ('gathering', 'refused') or (release_id is not null and set_digest is not null))
);
create unique index release_candidates_gathering on orchestrator.release_candidates (tenant, product_id)
  where state = 'gathering';
-- The same set makes one release.
create unique index release_candidates_set on orchestrator.release_candidates (tenant, product_id, set_digest)
  where state <> 'refused';
create index release_candidates_due on orchestrator.release_candidates (due_at) where due_at is not null;
alter table orchestrator.release_candidates enable row level security;
create policy tenant on orchestrator.release_candidates to landfall_app using (tenant = kernel.tenant());
create policy advancing on orchestrator.release_candidates to landfall_system using (true);
grant select, insert, update, delete on orchestrator.release_candidates to landfall_app;
grant select (tenant, id, due_at, lease_until), update (lease_until) on orchestrator.release_candidates to landfall_system;

-- Why an image, or a set of images, became no release. The newest 50 of a product are kept.
create table orchestrator.refused_candidates (
  tenant text not null,
  id uuid not null,
  product_id uuid not null,
  -- Null: the set as a whole.
  component text,
  tag text,
  digest text,
  release_id uuid,
  code text not null,
  reason text not null,
  first_at timestamptz not null default kernel.now(),
  last_at timestamptz not null default kernel.now(),
  times integer not null default 1,
  primary key (tenant, id),
  foreign key (tenant, product_id) references orchestrator.products (tenant, id)
);
create unique index refused_candidates_reason
  on orchestrator.refused_candidates (tenant, product_id, hashtextextended(reason, 0));
alter table orchestrator.refused_candidates enable row level security;
create policy tenant on orchestrator.refused_candidates to landfall_app using (tenant = kernel.tenant());
grant select, insert, update, delete on orchestrator.refused_candidates to landfall_app;
