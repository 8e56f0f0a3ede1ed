-- Why:  an import whose process was ended from outside stays under way for ever unless it is known when it was last heard
--       of; and what is told of old ones is thrown away.
-- Read: corpus/imports.store.ts endSilent, prune
-- Lock: short; the table has a row an import
alter table search.imports add column heard_at timestamptz not null default kernel.now();
create index imports_running on search.imports (heard_at) where state = 'running';
create index imports_ended on search.imports (ended_at);
grant delete on search.imports to landfall_system;
