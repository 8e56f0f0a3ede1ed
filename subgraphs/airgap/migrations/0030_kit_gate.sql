-- Why:  a dry run says for which releases the gate of scans would change, by a rule that its caller may name.
-- Read: kits/imports.store.ts
-- Lock: a moment
alter table airgap.kit_imports add column fail_on text;
