-- Why:  the built-in timestamp authority has a certificate and a root for each of its keys, and verifiers are told them.
-- Read: timestamping/chains.store.ts
-- Lock: none; a new table
create table orchestrator.timestamp_chains (
  -- Of kernel.signing_keys, purpose `timestamp`.
  key_id text primary key check (key_id ~ '^[0-9a-f]{64}$'),
  -- DER. The certificate's key is sealed in kernel.signing_keys; the root's was thrown away when this was made.
  certificate bytea not null,
  root bytea not null,
  created_at timestamptz not null default kernel.now()
);
-- The installation's own, of no tenant.
alter table orchestrator.timestamp_chains enable row level security;
create policy platform on orchestrator.timestamp_chains to landfall_system using (true);
grant select, insert on orchestrator.timestamp_chains to landfall_system;
