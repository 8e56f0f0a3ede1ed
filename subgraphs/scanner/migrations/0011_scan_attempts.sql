-- Why:  a bill that ends or stops the process of its scan is tried a few times, not for ever.
-- Read: scans/scans.store.ts
-- Lock: access exclusive on scanner.scans for two added columns, the first with a constant default
alter table scanner.scans
  -- Attempts since the scan was queued, the present one included.
  add column attempts integer not null default 0 check (attempts >= 0),
  -- Time of the next attempt where the present one does not end; null while the scan waits for its first.
  add column attempt_due_at timestamptz;
