-- Why:  a bill that no scan refers to is deleted: its request was refused after it was received, or its scans are gone.
-- Read: scans/sboms.store.ts
-- Lock: access exclusive on scanner.sboms while a column is added, share on scanner.scans while its index is built
alter table scanner.sboms add column received_at timestamptz;
update scanner.sboms set received_at = created_at;
-- Time at which the bill was received last: a scan of it may be requested for a while.
alter table scanner.sboms
  alter column received_at set default kernel.now(),
  alter column received_at set not null;
create index scans_sbom on scanner.scans (tenant, sbom_digest);
create policy work on scanner.sboms to landfall_system using (true);
grant update on scanner.sboms to landfall_app;
grant select, delete on scanner.sboms to landfall_system;
