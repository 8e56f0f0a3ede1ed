-- Why:  a component of a release that no advisory of its feed is about was counted as evaluated.
-- Read: feeds/captures.store.ts
-- Lock: access exclusive on scanner.feeds, which has a row for each feed
alter table scanner.feeds
  -- Ecosystems of its advisories, releases included (`Debian:12`); null for feeds of anything else.
  add column ecosystems text[];
update scanner.feeds f
set ecosystems = array(
  select distinct p.ecosystem from scanner.advisory_packages p
  where p.tenant = f.tenant and split_part(p.ecosystem, ':', 1) = substr(f.role, length('feed:osv:') + 1)
  order by p.ecosystem)
where f.role like 'feed:osv:%';
