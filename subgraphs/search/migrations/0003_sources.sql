-- Why:  where documents come from and how far each source has been read: adapters with their suppression, the events that
--       were projected, imports with their progress; and what of the day's syntheses is used up.
-- Read: adapters/adapters.store.ts, platform/projection.store.ts, corpus/imports.store.ts, synthesis/quota.store.ts
-- Lock: none; new tables
create table search.adapters (
  tenant text not null,
  name text not null check (name in ('findings', 'policy', 'vex')),
  source text not null check (source in ('Upstream', 'Snapshot')),
  cause text,
  attempted_target text not null,
  attempted_at timestamptz not null,
  -- Of a route that is absent: how long it is left alone, and how often in a row it was.
  suppressed_until timestamptz,
  absences integer not null default 0,
  primary key (tenant, name)
);
alter table search.adapters enable row level security;
create policy tenant on search.adapters to landfall_app using (tenant = kernel.tenant());
create policy refresh on search.adapters to landfall_system using (true);
grant select, insert, update on search.adapters to landfall_app;
grant select, insert, update on search.adapters to landfall_system;

-- The platform's events that have become documents, up to and with this one.
create table search.projections (
  name text primary key,
  xid xid8 not null,
  event_id bigint not null,
  updated_at timestamptz not null default kernel.now()
);
alter table search.projections enable row level security;
create policy projection on search.projections to landfall_system using (true);
grant select, insert, update on search.projections to landfall_system;

-- What events said of things, so that a later event, which names them by id, can be told in words.
create table search.subjects (
  tenant text not null,
  entity text not null,
  entity_id text not null,
  facts jsonb not null,
  version integer not null,
  primary key (tenant, entity, entity_id)
);
alter table search.subjects enable row level security;
create policy projection on search.subjects to landfall_system using (true);
grant select, insert, update, delete on search.subjects to landfall_system;

create table search.imports (
  import_id uuid primary key,
  tenant text not null,
  source text not null,
  state text not null check (state in ('running', 'completed', 'failed')),
  documents integer not null default 0,
  chunks integer not null default 0,
  refused integer not null default 0,
  removed integer not null default 0,
  started_at timestamptz not null default kernel.now(),
  ended_at timestamptz,
  error text
);
create index imports_newest on search.imports (tenant, started_at desc);
alter table search.imports enable row level security;
create policy tenant on search.imports for select to landfall_app using (tenant = kernel.tenant());
create policy import on search.imports to landfall_system using (true);
grant select on search.imports to landfall_app;
grant select, insert, update on search.imports to landfall_system;

create table search.synthesis_usage (
  tenant text not null,
  day date not null,
  requests integer not null,
  primary key (tenant, day)
);
alter table search.synthesis_usage enable row level security;
create policy tenant on search.synthesis_usage to landfall_app using (tenant = kernel.tenant());
create policy upkeep on search.synthesis_usage to landfall_system using (true);
grant select, insert, update on search.synthesis_usage to landfall_app;
grant select, delete on search.synthesis_usage to landfall_system;
