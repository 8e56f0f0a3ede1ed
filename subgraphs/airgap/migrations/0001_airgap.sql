-- Why:  a site without a network has no clock that it can ask; time anchors say how late it is at least, and no clock
--       that is set back takes it away.
-- Read: time/anchors.store.ts, time/clocks.store.ts
-- Lock: none, the schema is new
create schema airgap;
grant usage on schema airgap to landfall_app, landfall_system;

create table airgap.anchors (
  tenant text not null,
  -- Digest of the token: a token is accepted once.
  digest text not null,
  source text not null check (source in ('rfc3161', 'operator_dsse')),
  -- Number of the challenge that the token answers.
  challenge integer not null,
  anchor_time timestamptz not null,
  accuracy_seconds double precision not null check (accuracy_seconds >= 0),
  token bytea not null,
  -- Digest of the certificate or key that the token was trusted by; null where none did.
  trust_root_digest text,
  trusted boolean not null,
  -- More than 300 seconds ahead of a clock that was not behind.
  is_future boolean not null,
  accepted_at timestamptz not null,
  -- Milliseconds of the machine's monotonic clock, and the boot that it counts from.
  accepted_monotonic double precision not null,
  boot_id text not null,
  accepted_by text not null,
  primary key (tenant, digest)
);
create index anchors_newest on airgap.anchors (tenant, anchor_time desc);

-- The latest time ever known, and the number of the challenge that the next token answers.
create table airgap.clocks (
  tenant text not null primary key,
  highest_now timestamptz not null,
  challenge integer not null default 1
);

do $$
declare name text;
begin
  foreach name in array array['anchors', 'clocks']
  loop
    execute format('alter table airgap.%I enable row level security', name);
    execute format('create policy tenant on airgap.%I to landfall_app using (tenant = kernel.tenant())', name);
    execute format('create policy work on airgap.%I to landfall_system using (true)', name);
    execute format('grant select, insert, update on airgap.%I to landfall_app', name);
  end loop;
end $$;
grant select on airgap.anchors to landfall_system;
grant select, update on airgap.clocks to landfall_system;
