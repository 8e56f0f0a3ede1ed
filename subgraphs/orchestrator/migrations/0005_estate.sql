-- Why:  what runs is compared with what was approved: what landed last on each target, and drifts that somebody owns.
-- Read: estate/estate.store.ts, estate/deviations.store.ts, estate/approved.store.ts, agents/observations.store.ts
-- Lock: orchestrator.observations, exclusively and rewritten: one row a component of a target
-- The id is made of the key, so that a component which is seen again is the one that was seen before.
alter table orchestrator.observations
  add column id uuid not null generated always as (md5(target_id::text || '/' || component)::uuid) stored;
create unique index observations_id on orchestrator.observations (tenant, id);

-- What landed last on a target. A component may run as the gated document itself, or where that is an image index, as
-- any of its platforms' manifests: `accepted` holds what finalize recorded.
create table orchestrator.approved_components (
  tenant text not null,
  target_id uuid not null,
  component text not null,
  id uuid not null generated always as (md5(target_id::text || '/' || component)::uuid) stored,
  release_id uuid not null,
  deployment_id uuid not null,
  digest text not null,
  accepted text[] not null check (cardinality(accepted) > 0),
  landed_at timestamptz not null default kernel.now(),
  primary key (tenant, target_id, component),
  foreign key (tenant, target_id) references orchestrator.targets (tenant, id),
  foreign key (tenant, release_id) references orchestrator.releases (tenant, id),
  foreign key (tenant, deployment_id) references orchestrator.deployments (tenant, id)
);
alter table orchestrator.approved_components enable row level security;
create policy tenant on orchestrator.approved_components to landfall_app using (tenant = kernel.tenant());
grant select, insert, update, delete on orchestrator.approved_components to landfall_app;

-- A drift that somebody owns until a day. It is about a digest: another one there is another drift.
create table orchestrator.deviations (
  tenant text not null,
  id uuid not null,
  target_id uuid not null,
  component text not null,
  digest text not null,
  reason text not null,
  owner text not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  revoked_by text,
  created_at timestamptz not null default kernel.now(),
  version integer not null default 1,
  primary key (tenant, id),
  foreign key (tenant, target_id) references orchestrator.targets (tenant, id),
  check ((revoked_at is null) = (revoked_by is null))
);
create index deviations_standing on orchestrator.deviations (tenant, target_id, component) where revoked_at is null;
alter table orchestrator.deviations enable row level security;
create policy tenant on orchestrator.deviations to landfall_app using (tenant = kernel.tenant());
grant select, insert, update on orchestrator.deviations to landfall_app;

-- The one rule of the estate, for every statement that asks (docs/decisions/013-estate.md). `running` is null where nothing
-- was seen, `accepted` where nothing was approved.
create function orchestrator.estate_state(is_reporting boolean, running boolean, digest text, accepted text[])
  returns text language sql immutable parallel safe
  return case
    when running is null or is_reporting is not true then 'unobserved'
    when not running then 'drift'
    when digest is null then 'unobserved'
    when digest = any (accepted) then 'in_sync'
    else 'drift'
  end;

-- What stands now landed before this table was there.
insert into orchestrator.approved_components
  (tenant, target_id, component, release_id, deployment_id, digest, accepted, landed_at)
select last.tenant, last.target_id, c.name, d.release_id, d.id, c.digest,
  coalesce(
    (select array_agg(p.digest order by p.platform) from orchestrator.component_platforms as p
      where p.tenant = c.tenant and p.release_id = c.release_id and p.component = c.name),
    array[c.digest]),
  coalesce(d.completed_at, d.created_at)
from (
  select distinct on (tenant, target_id) tenant, target_id, deployment_id
  from orchestrator.deployment_targets where state = 'succeeded'
  order by tenant, target_id, deployment_id desc
) as last
join orchestrator.deployments as d on d.tenant = last.tenant and d.id = last.deployment_id
join orchestrator.release_components as c on c.tenant = d.tenant and c.release_id = d.release_id
where c.digest is not null;
