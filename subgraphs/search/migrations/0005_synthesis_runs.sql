-- Why:  how many model-written answers a tenant has under way is a limit of the tenant, not of a copy: each is a row
--       until it ends, and one whose process died ends by itself.
-- Read: synthesis/quota.store.ts
-- Lock: none; new table
create table search.synthesis_runs (
  tenant text not null,
  run_id uuid not null,
  expires_at timestamptz not null,
  primary key (tenant, run_id)
);
alter table search.synthesis_runs enable row level security;
create policy tenant on search.synthesis_runs to landfall_app using (tenant = kernel.tenant());
create policy upkeep on search.synthesis_runs to landfall_system using (true);
grant select, insert, delete on search.synthesis_runs to landfall_app;
grant select, delete on search.synthesis_runs to landfall_system;
