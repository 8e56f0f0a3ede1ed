-- Why:  an import whose workers die again and again must end, and not be taken for ever.
-- Read: kits/imports.store.ts
-- Lock: a moment; the column has a constant default
alter table airgap.kit_imports
  -- Leases since the import was requested or got more parts.
  add column attempts integer not null default 0;
