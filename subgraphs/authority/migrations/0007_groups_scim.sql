-- Why:  groups bring roles to their people, and a directory provisions both by SCIM 2.0 (RFC 7643, RFC 7644).
-- Read: groups/groups.store.ts, scim/people.store.ts, scim/directory-groups.store.ts
-- Lock: a short exclusive lock on users, whose rows are rewritten by no statement here
create table authority.groups (
  tenant text not null references authority.tenants (tenant),
  id uuid not null,
  display_name text not null,
  -- What the directory calls it.
  external_id text,
  roles text[] not null default '{}',
  -- Whether a directory made it: then the directory says who is in it, whatever it brings.
  is_provisioned boolean not null default false,
  created_at timestamptz not null default kernel.now(),
  updated_at timestamptz not null default kernel.now(),
  version integer not null default 1,
  primary key (tenant, id)
);
-- A claim of groups names them by this: two of one name would bring roles nobody meant.
create unique index groups_display_name on authority.groups (tenant, lower(display_name));
create index groups_external_id on authority.groups (tenant, external_id) where external_id is not null;
alter table authority.groups enable row level security;
create policy tenant on authority.groups to landfall_app using (tenant = kernel.tenant());
grant select, insert, update, delete on authority.groups to landfall_app;

create table authority.group_members (
  tenant text not null,
  group_id uuid not null,
  user_id uuid not null,
  -- Who says so: `scim`, `admin`, or the id of an identity provider.
  source text not null,
  primary key (tenant, group_id, user_id, source),
  foreign key (tenant, group_id) references authority.groups (tenant, id) on delete cascade,
  foreign key (tenant, user_id) references authority.users (tenant, id)
);
create index group_members_user on authority.group_members (tenant, user_id);
create index group_members_source on authority.group_members (tenant, source, user_id);
alter table authority.group_members enable row level security;
create policy tenant on authority.group_members to landfall_app using (tenant = kernel.tenant());
grant select, insert, delete on authority.group_members to landfall_app;

-- `meta.lastModified`: whoever changes a person raises the version, and the version says when.
alter table authority.users add column updated_at timestamptz not null default kernel.now();
create function authority.note_update() returns trigger language plpgsql as $$
begin
  new.updated_at := kernel.now();
  return new;
end $$;
create trigger users_updated before update of version on authority.users
  for each row execute function authority.note_update();
create trigger groups_updated before update of version on authority.groups
  for each row execute function authority.note_update();

-- What a directory says of a person beside what every person has.
create table authority.scim_users (
  tenant text not null,
  user_id uuid not null,
  external_id text,
  -- Attributes of RFC 7643 4.1 and 4.3 as they were given, under their canonical names.
  attributes jsonb not null,
  -- The same for filters: names, and text where case is no difference, in lower case.
  search jsonb not null,
  -- Whether the directory made the person; of others it only knows.
  is_provisioned boolean not null,
  -- The directory deleted the person: deactivated, and no resource any more.
  deleted_at timestamptz,
  primary key (tenant, user_id),
  foreign key (tenant, user_id) references authority.users (tenant, id)
);
create index scim_users_external_id on authority.scim_users (tenant, external_id) where external_id is not null;
alter table authority.scim_users enable row level security;
create policy tenant on authority.scim_users to landfall_app using (tenant = kernel.tenant());
grant select, insert, update on authority.scim_users to landfall_app;
