-- Why:  one document of the platform that cannot be put must not keep all later ones waiting; a deployment has one bundle.
-- Read: arrivals/arrival-failures.store.ts, bundles/bundles.store.ts
-- Lock: evidence.bundles while its index is built
create table evidence.arrival_failures (
  tenant text not null,
  id uuid not null,
  -- Event that announced the document.
  type text not null,
  entity_id text not null,
  correlation_id text not null,
  data jsonb not null,
  attempts integer not null default 1,
  reason text not null,
  failed_at timestamptz not null default kernel.now(),
  retry_at timestamptz not null,
  primary key (tenant, type, entity_id)
);
create unique index arrival_failures_id on evidence.arrival_failures (tenant, id);
create index arrival_failures_due on evidence.arrival_failures (retry_at);
alter table evidence.arrival_failures enable row level security;
create policy tenant on evidence.arrival_failures to landfall_app using (tenant = kernel.tenant());
create policy work on evidence.arrival_failures to landfall_system using (true);
grant select on evidence.arrival_failures to landfall_app;
grant select, insert, update, delete on evidence.arrival_failures to landfall_system;

create unique index bundles_attested on evidence.bundles (tenant, subject_kind, subject_id)
  where created_by = 'artifacts.arrivals';
