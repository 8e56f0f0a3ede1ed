-- Why:  a site without a network gets advisories and releases on kits, and must say which ones it has, from whom they came,
--       and what became of each import.
-- Read: roots/roots.store.ts, kits/kits.store.ts, kits/imports.store.ts
-- Lock: none, the tables are new
create table airgap.kit_roots (
  -- The installation (`*`): the operator trusts the first one by a command.
  tenant text not null,
  version integer not null check (version > 0),
  digest text not null,
  -- DSSE envelope, as its file has it.
  envelope text not null,
  installed_by text not null,
  installed_at timestamptz not null default kernel.now(),
  primary key (tenant, version)
);

create table airgap.kits (
  tenant text not null,
  -- Digest of the manifest.
  digest text not null,
  kit_id uuid not null,
  kind text not null check (kind in ('feeds', 'release')),
  channel text not null,
  sequence integer not null check (sequence > 0),
  -- DSSE envelope of the manifest.
  envelope text not null,
  -- Result of its import, and the DSSE envelope that signs it; null until the platform has signed it.
  changes jsonb not null check (jsonb_typeof(changes) = 'object'),
  receipt text,
  is_active boolean not null default true,
  installed_at timestamptz not null default kernel.now(),
  primary key (tenant, digest),
  unique (tenant, channel, sequence)
);
create unique index kits_active on airgap.kits (tenant, channel) where is_active;

-- Content of installed kits by its hash, which a want-list names so that no kit brings it again.
create table airgap.kit_contents (
  tenant text not null,
  hash text not null,
  kit_digest text not null,
  primary key (tenant, hash),
  foreign key (tenant, kit_digest) references airgap.kits (tenant, digest)
);

create table airgap.carried_releases (
  tenant text not null,
  release_id uuid not null,
  kit_digest text not null,
  primary key (tenant, release_id),
  foreign key (tenant, kit_digest) references airgap.kits (tenant, digest)
);

create table airgap.kit_imports (
  tenant text not null,
  id uuid not null,
  kit_digest text not null,
  -- The signed manifest of the kit, and the facts of it that lists show.
  envelope text not null,
  kit_id uuid not null,
  kind text not null check (kind in ('feeds', 'release')),
  channel text not null,
  sequence integer not null,
  -- Folder of the inbox; null where a command brought the parts.
  source text,
  -- Registry to which images are pushed, with a path where there is one.
  registry text,
  is_dry_run boolean not null,
  state text not null check (state in ('queued', 'waiting', 'switched', 'complete', 'failed')),
  missing_parts jsonb not null default '[]',
  done integer not null default 0,
  total integer not null default 0,
  changes jsonb,
  failure_code text,
  failure_message text,
  requested_by text not null,
  requested_through text not null,
  lease_until timestamptz,
  created_at timestamptz not null default kernel.now(),
  updated_at timestamptz not null default kernel.now(),
  finished_at timestamptz,
  version integer not null default 1,
  primary key (tenant, id)
);
-- One import of a kit at a time.
create unique index kit_imports_open on airgap.kit_imports (tenant, kit_digest, is_dry_run)
  where state in ('queued', 'waiting', 'switched');
create index kit_imports_due on airgap.kit_imports (created_at) where state in ('queued', 'switched');

do $$
declare name text;
begin
  foreach name in array array['kits', 'kit_contents', 'carried_releases', 'kit_imports']
  loop
    execute format('alter table airgap.%I enable row level security', name);
    execute format('create policy tenant on airgap.%I to landfall_app using (tenant = kernel.tenant())', name);
    execute format('create policy work on airgap.%I to landfall_system using (true)', name);
    execute format('grant select, insert, update on airgap.%I to landfall_app', name);
    execute format('grant select, insert, update on airgap.%I to landfall_system', name);
  end loop;
end $$;

alter table airgap.kit_roots enable row level security;
create policy tenant on airgap.kit_roots to landfall_app using (tenant = kernel.tenant());
create policy shared on airgap.kit_roots for select to landfall_app using (tenant = '*');
create policy work on airgap.kit_roots to landfall_system using (true);
grant select on airgap.kit_roots to landfall_app;
grant select, insert on airgap.kit_roots to landfall_system;
