-- Why:  a bucket with Object Lock keeps each object as long as its row says, and is told outside of transactions.
-- Read: custody/object-protection.store.ts
-- Lock: evidence.artifact_index for a moment, and while its index is built
alter table evidence.artifact_index
  -- When the bucket is to be told how long it keeps the object; null once it was.
  add column protection_due_at timestamptz default kernel.now(),
  -- Counts the reasons to tell it; telling it of an earlier one does not end the wait.
  add column protection_mark integer not null default 0;
create index artifact_index_protection on evidence.artifact_index (protection_due_at, tenant, artifact_id)
  where protection_due_at is not null;

-- Across tenants: holds are part of what the bucket is told.
create policy work on evidence.holds to landfall_system using (true);
grant select on evidence.holds to landfall_system;
