-- Why:  people give addresses of the console a name, for themselves or for everybody of their tenant.
-- Read: views/views.store.ts
-- Lock: none; a new table
create table authority.saved_views (
  tenant text not null references authority.tenants (tenant),
  id uuid not null,
  -- Whoever saved it: a sub, which may be a client's.
  owner text not null,
  name text not null,
  path text not null,
  shared boolean not null,
  created_at timestamptz not null default kernel.now(),
  version integer not null default 1,
  primary key (tenant, id),
  constraint saved_views_name unique (tenant, owner, name)
);
create index saved_views_shared on authority.saved_views (tenant) where shared;
alter table authority.saved_views enable row level security;
create policy tenant on authority.saved_views to landfall_app using (tenant = kernel.tenant());
grant select, insert, update, delete on authority.saved_views to landfall_app;
