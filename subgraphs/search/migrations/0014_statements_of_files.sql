-- Why:  a file that is imported again takes the place of what it said before, and of nothing that another file said; what
--       was imported before files were known is removed where it has been said anew.
-- Read: corpus/statement-files.store.ts
-- Lock: search.chunks against writes while the indices are built, which have statements of VEX alone
-- Which file a statement of VEX is from, as a hash; null for what is known without its file.
alter table search.chunks add column file text;
create index chunks_file on search.chunks (tenant, file) where file is not null;
create index chunks_without_file on search.chunks (tenant, source)
  where file is null and domain = 'vex' and removed_at is null;
