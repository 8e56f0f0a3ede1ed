-- Why:  an import that is killed leaves advisories whose feed has no new state; the next import puts it in force.
-- Read: feeds/captures.store.ts
create table scanner.feed_changes (
  tenant text not null,
  -- Ecosystem without a release, of which an advisory was written since its feed was captured.
  family text not null,
  primary key (tenant, family)
);
alter table scanner.feed_changes enable row level security;
create policy tenant on scanner.feed_changes to landfall_app using (tenant = kernel.tenant());
create policy import on scanner.feed_changes to landfall_system using (true);
grant select, insert, delete on scanner.feed_changes to landfall_system;
