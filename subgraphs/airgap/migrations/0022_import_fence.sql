-- Why:  a worker whose lease another one has taken must stop, also when it was only slow.
-- Read: kits/imports.store.ts
-- Lock: a moment; the columns have constant defaults
alter table airgap.kit_imports
  -- Number of leases; a worker acts only under its own.
  add column fence integer not null default 0;
