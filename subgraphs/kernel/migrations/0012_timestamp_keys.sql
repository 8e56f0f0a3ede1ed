-- Why:  an installation without an external timestamp authority stamps its statements under a key of its own.
-- Read: signing/signing-keys.store.ts
-- Lock: a short one on a table of a few rows
alter table kernel.signing_keys drop constraint signing_keys_purpose_check;
alter table kernel.signing_keys add constraint signing_keys_purpose_check
  check (purpose in ('attestation', 'log', 'timestamp'));
