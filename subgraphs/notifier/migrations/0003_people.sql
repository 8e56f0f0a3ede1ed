-- Why:  people are told by addresses of their own, once they proved that an address is theirs.
-- Read: people/*.store.ts; channels.store.ts list
-- Lock: notify.channels for a moment, as the new column has a constant default
alter table notify.channels add column for_people boolean not null default false;

-- Address of a person, carried by a channel of the tenant.
create table notify.contact_methods (
  tenant text not null,
  id uuid not null,
  -- The person: the `sub` of their tokens.
  subject text not null check (subject <> ''),
  -- Channel that carries messages to the address; its type is the kind.
  channel_id uuid not null,
  kind text not null check (kind in ('email', 'slack', 'webhook')),
  address text not null check (address <> ''),
  -- Code under way: its keyed hash, its end, and the attempts at it.
  code_hash bytea,
  code_expires_at timestamptz,
  code_attempts integer not null default 0 check (code_attempts >= 0),
  verified_at timestamptz,
  -- Why nothing is sent to the address any more; null while it works.
  suppressed_reason text,
  -- Kinds of events that its owner does not want to get there.
  muted_kinds text[] not null default '{}',
  created_at timestamptz not null default kernel.now(),
  removed_at timestamptz,
  version integer not null default 1,
  primary key (tenant, id),
  foreign key (tenant, channel_id) references notify.channels (tenant, id),
  check ((code_hash is null) = (code_expires_at is null))
);
create unique index contact_methods_address on notify.contact_methods (tenant, subject, channel_id, address)
  where removed_at is null;

-- Preferences of a person. A list without methods is every verified one.
create table notify.people (
  tenant text not null,
  subject text not null check (subject <> ''),
  time_zone text not null default 'UTC',
  locale text not null default 'en-US',
  quiet_hours jsonb check (jsonb_typeof(quiet_hours) = 'object'),
  default_methods uuid[] not null default '{}',
  important_methods uuid[] not null default '{}',
  -- Codes that were sent for the person in the current window, and its end.
  codes_sent integer not null default 0 check (codes_sent >= 0),
  codes_end_at timestamptz not null default kernel.now(),
  version integer not null default 1,
  primary key (tenant, subject)
);

do $$
declare name text;
begin
  foreach name in array array['contact_methods', 'people']
  loop
    execute format('alter table notify.%I enable row level security', name);
    execute format('create policy tenant on notify.%I to landfall_app using (tenant = kernel.tenant())', name);
    execute format('create policy work on notify.%I to landfall_system using (true)', name);
    execute format('grant select, insert, update on notify.%I to landfall_app', name);
    execute format('grant select on notify.%I to landfall_system', name);
  end loop;
end $$;
