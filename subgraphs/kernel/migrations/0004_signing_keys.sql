-- Why:  every process of an installation signs with the same keys, and a verifier is told when each of them signed.
-- Read: signing/signing-keys.ts
-- Lock: none; a new table
create table kernel.signing_keys (
  -- Hex SHA-256 of the SPKI: the hint in a bundle, the keyid of a signature.
  key_id text primary key check (key_id ~ '^[0-9a-f]{64}$'),
  purpose text not null check (purpose in ('attestation', 'log')),
  algorithm text not null check (algorithm in ('ecdsa-p256-sha256', 'ed25519')),
  spki bytea not null,
  kept text not null check (kept in ('sealed', 'file', 'device')),
  -- PKCS #8 under the root key; a file's or a device's private key never comes here.
  sealed_private bytea check ((sealed_private is not null) = (kept = 'sealed')),
  valid_from timestamptz not null,
  valid_until timestamptz check (valid_until >= valid_from)
);
-- Of several processes that make a first key at once, one succeeds.
create unique index signing_keys_current on kernel.signing_keys (purpose) where valid_until is null;
create index signing_keys_order on kernel.signing_keys (purpose, valid_from desc);
-- The installation's own, of no tenant.
alter table kernel.signing_keys enable row level security;
create policy platform on kernel.signing_keys to landfall_system using (true);
grant select, insert, update (valid_until) on kernel.signing_keys to landfall_system;
