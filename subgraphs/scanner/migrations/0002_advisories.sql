-- Why:  components are matched against advisories, KEV and EPSS, which belong to the installation (`*`), and what a scan froze
--       must name the feeds that it was matched against.
-- Read: feeds/*.store.ts, scans/scans.store.ts, scans/components.store.ts, scans/findings.store.ts
-- Lock: access exclusive on three tables of scans that are empty
create table scanner.feed_captures (
  tenant text not null,
  -- As in a scan's manifest: feed:osv:npm, feed:kev, feed:epss.
  role text not null,
  digest text not null,
  -- Date that the feed gives itself; the time of the capture where it has none or a later one.
  published_at timestamptz not null,
  -- Of the first capture of these bytes: importing them again does not make them young.
  captured_at timestamptz not null default kernel.now(),
  primary key (tenant, role, digest)
);

-- The state in force.
create table scanner.feeds (
  tenant text not null,
  role text not null,
  digest text not null,
  records integer not null,
  updated_at timestamptz not null default kernel.now(),
  primary key (tenant, role),
  foreign key (tenant, role, digest) references scanner.feed_captures (tenant, role, digest)
);

create table scanner.advisories (
  tenant text not null,
  id text not null,
  -- Of the ids joined through aliases (proofs 2.1).
  alias_group bigint not null,
  modified timestamptz not null,
  -- A withdrawn advisory is inactive and stays.
  withdrawn_at timestamptz,
  -- SHA-256 of the record as it is stored.
  digest text not null,
  -- The record without `affected`.
  head jsonb not null check (jsonb_typeof(head) = 'object'),
  primary key (tenant, id)
);
create index advisories_group on scanner.advisories (tenant, alias_group);

create table scanner.advisory_packages (
  tenant text not null,
  -- With its release, and name, in the spelling by which advisories and components are joined.
  ecosystem text not null,
  package_name text not null,
  advisory_id text not null,
  -- The entries of `affected` about this package.
  entries jsonb not null check (jsonb_typeof(entries) = 'array'),
  primary key (tenant, ecosystem, package_name, advisory_id),
  foreign key (tenant, advisory_id) references scanner.advisories (tenant, id) on delete cascade
);
create index advisory_packages_advisory on scanner.advisory_packages (tenant, advisory_id);
create index advisory_packages_family on scanner.advisory_packages (tenant, split_part(ecosystem, ':', 1), advisory_id);

create table scanner.aliases (
  tenant text not null,
  alias text not null,
  alias_group bigint not null,
  primary key (tenant, alias)
);
create index aliases_group on scanner.aliases (tenant, alias_group, alias);

-- Younger groups that were joined to an older one, for findings that were frozen before.
create table scanner.alias_group_joins (
  tenant text not null,
  alias_group bigint not null,
  older bigint not null check (older < alias_group),
  primary key (tenant, alias_group)
);

-- CISA's catalogue of known exploited vulnerabilities.
create table scanner.kev_entries (
  tenant text not null,
  cve_id text not null,
  date_added date,
  due_date date,
  is_used_in_ransomware boolean not null,
  primary key (tenant, cve_id)
);

-- FIRST's probability of exploitation, decimals as published.
create table scanner.epss_scores (
  tenant text not null,
  cve_id text not null,
  epss text not null,
  percentile text not null,
  primary key (tenant, cve_id)
);

do $$
declare name text;
begin
  foreach name in array array['feed_captures', 'feeds', 'advisories', 'advisory_packages', 'aliases', 'alias_group_joins',
    'kev_entries', 'epss_scores']
  loop
    execute format('alter table scanner.%I enable row level security', name);
    execute format('create policy tenant on scanner.%I to landfall_app using (tenant = kernel.tenant())', name);
    execute format('create policy shared on scanner.%I for select to landfall_app using (tenant = ''*'')', name);
    execute format('create policy import on scanner.%I to landfall_system using (true)', name);
    execute format('grant select on scanner.%I to landfall_app', name);
    execute format('grant select, insert, update, delete on scanner.%I to landfall_system', name);
  end loop;
end $$;

-- A bill that was received, so that a scan of it can be requested by its digest.
create table scanner.sboms (
  tenant text not null,
  digest text not null check (digest ~ '^sha256:[0-9a-f]{64}$'),
  format text not null check (format in ('cyclonedx', 'spdx')),
  subject_name text,
  subject_version text,
  subject_purl text,
  created_at timestamptz not null default kernel.now(),
  primary key (tenant, digest)
);
alter table scanner.sboms enable row level security;
create policy tenant on scanner.sboms to landfall_app using (tenant = kernel.tenant());
grant select, insert, delete on scanner.sboms to landfall_app;
alter table scanner.documents add foreign key (tenant, digest) references scanner.sboms (tenant, digest) on delete cascade;

-- Advisories about the package that cannot be evaluated for the version.
alter table scanner.components add column inconclusive jsonb not null default '[]' check (jsonb_typeof(inconclusive) = 'array');

alter table scanner.findings
  -- Lowest version above this one that no advisory affects; null where none is known.
  add column lowest_clean_version text,
  -- Score at the freeze, in parts per million.
  add column score_ppm integer not null default 0 check (score_ppm between 0 and 1000000);
create index findings_score on scanner.findings (tenant, scan_id, score_ppm desc, finding_id);

create index scans_newest_of_image on scanner.scans (tenant, image_digest, completed_at desc, id desc) where status = 'completed';
