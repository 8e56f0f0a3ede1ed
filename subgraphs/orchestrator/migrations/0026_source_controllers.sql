-- Why:  a release that a source creates is the work of the people who chose the source's images; without them, one person
--       creates a source, pushes an image and approves its release alone. The list only grows: people and clients that
--       created or changed the source, and the holders of their tokens.
-- Read: deciding/sources/sources.store.ts, and from there the holders of releases and promotions (decision 031)
-- Lock: release_sources against everything, for one update of its rows
alter table orchestrator.release_sources add column controllers text[] not null default '{}';
update orchestrator.release_sources
set controllers = case when created_by = updated_by then array[created_by] else array[created_by, updated_by] end;
alter table orchestrator.release_sources
  alter column controllers drop default,
  add check (cardinality(controllers) > 0);
-- Drafts that were created already, so that they are not approved by these people either.
update orchestrator.releases as release
set created_through = release.created_through || source.controllers
from (
  select tenant, product_id, array_agg(distinct controller) as controllers
  from orchestrator.release_sources, unnest(controllers) as controller
  group by tenant, product_id
) as source
where release.created_by = 'orchestrator.releaseSources' and release.created_through is not null
  and source.tenant = release.tenant and source.product_id = release.product_id;
