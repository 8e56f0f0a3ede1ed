-- Why:  scan manifests are signed under a key of their own, so that rotating it leaves attestations alone.
-- Read: signing/signing-keys.store.ts
-- Lock: a short one on a table of a few rows
alter table kernel.signing_keys drop constraint signing_keys_purpose_check;
alter table kernel.signing_keys add constraint signing_keys_purpose_check
  check (purpose in ('attestation', 'log', 'manifest', 'timestamp'));
