-- Why:  a bill that ends the process of its rescoring is tried a few times for a change of inputs, not in every cycle for ever.
-- Read: rescoring/due-scans.store.ts, scans/scans.store.ts
-- Lock: access exclusive on scanner.scans for two added columns, the first with a constant default
alter table scanner.scans
  -- Attempts of the rescoring that is due, which neither ended nor failed with an error.
  add column rescore_attempts integer not null default 0 check (rescore_attempts >= 0),
  -- Why the newest freeze has older inputs than those in force; null where it has not.
  add column rescore_error text;
