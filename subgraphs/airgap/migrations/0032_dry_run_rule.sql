-- Why:  dry runs of a kit by different rules are different ones.
-- Read: kits/imports.store.ts
-- Lock: a moment; the table has a row for each import
drop index airgap.kit_imports_open;
-- One import of a kit at a time, and one dry run of it by a rule.
create unique index kit_imports_open on airgap.kit_imports (tenant, kit_digest, is_dry_run, coalesce(fail_on, ''))
  where state in ('queued', 'waiting', 'switched');
