-- Why:  releases, deployments and scans put their evidence here, and its signatures are judged again when trust changes.
-- Read: records/artifacts.store.ts, records/references.store.ts, arrivals/feed.store.ts, verdicts/judgement.store.ts
-- Lock: evidence.artifact_index for a moment
alter table evidence.artifact_index
  -- Form of the signature in the content; null where it has none that can be verified.
  add column signature text check (signature in ('bundle', 'envelope')),
  -- Whether it is to be judged: it is new, or the trust of its tenant changed.
  add column judgement_due boolean not null default true,
  add column verdict text check (verdict in ('verified', 'unverified', 'invalid')),
  add column signer text;
create index artifact_index_judgement on evidence.artifact_index (tenant, artifact_id)
  where judgement_due and signature is not null and not is_deleted;
create index artifact_index_signed on evidence.artifact_index (tenant, artifact_id)
  where signature is not null and not is_deleted;

-- Things of the platform that an artifact is evidence of.
create table evidence.artifact_references (
  tenant text not null,
  artifact_id uuid not null,
  kind text not null check (kind in ('Release', 'Deployment', 'Scan')),
  entity_id uuid not null,
  primary key (tenant, kind, entity_id, artifact_id),
  foreign key (tenant, artifact_id) references evidence.artifact_index (tenant, artifact_id) on delete cascade
);
create index artifact_references_artifact on evidence.artifact_references (tenant, artifact_id);
alter table evidence.artifact_references enable row level security;
create policy tenant on evidence.artifact_references to landfall_app using (tenant = kernel.tenant());
create policy work on evidence.artifact_references to landfall_system using (true);
grant select, insert on evidence.artifact_references to landfall_app;
grant select on evidence.artifact_references to landfall_system;

-- Position up to which the platform's own events were read.
create table evidence.event_feed (
  singleton boolean primary key default true check (singleton),
  xid xid8 not null,
  event_id bigint not null
);
insert into evidence.event_feed (xid, event_id) values ('0', 0);
alter table evidence.event_feed enable row level security;
create policy following on evidence.event_feed to landfall_system using (true);
grant select, update on evidence.event_feed to landfall_system;
