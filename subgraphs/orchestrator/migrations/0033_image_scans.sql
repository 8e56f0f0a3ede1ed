-- Why:  the custody chain had no scan link: scans are another module's. Its events say which scan of an image is the newest,
--       and each becomes a statement about the releases with that image. `due_at` is null once they have it.
-- Read: evidence/statements/image-scans.store.ts
-- Lock: attestations against everything while the rows are checked against the longer list of kinds
create table orchestrator.image_scans (
  tenant text not null,
  image_digest text not null,
  scan_id uuid not null,
  root_hash text not null,
  -- Score in millionths; null where no component could be evaluated.
  score_ppm integer check (score_ppm between 0 and 1000000),
  completed_at timestamptz not null,
  due_at timestamptz default kernel.now(),
  primary key (tenant, image_digest)
);
create index image_scans_due on orchestrator.image_scans (due_at) where due_at is not null;
alter table orchestrator.image_scans enable row level security;
create policy tenant on orchestrator.image_scans to landfall_app using (tenant = kernel.tenant());
create policy following on orchestrator.image_scans to landfall_system using (true);
grant select, update (due_at) on orchestrator.image_scans to landfall_app;
grant select, insert, update on orchestrator.image_scans to landfall_system;

-- Position in the event order up to which the events of scans were read.
create table orchestrator.image_scan_feed (
  singleton boolean primary key default true check (singleton),
  xid xid8 not null,
  event_id bigint not null
);
insert into orchestrator.image_scan_feed (xid, event_id) values ('0', 0);
alter table orchestrator.image_scan_feed enable row level security;
create policy following on orchestrator.image_scan_feed to landfall_system using (true);
grant select, update on orchestrator.image_scan_feed to landfall_system;

alter table orchestrator.attestations drop constraint attestations_kind_check;
alter table orchestrator.attestations add constraint attestations_kind_check
  check (kind in ('deployment', 'verification_summary', 'approval', 'evidence', 'observation', 'scan'));
