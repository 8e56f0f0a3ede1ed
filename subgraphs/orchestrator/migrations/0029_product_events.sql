-- Why:  the products that 0021 made of the names of releases, and its trigger makes for servers of the version before, have
--       no event, so search and the change feed do not know them; a worker publishes each once. Ids that a server makes
--       are UUIDs of version 7, those of 0021 are of version 4. The events of the version before had no description, owners
--       or labels, so products that have one are published again.
-- Read: catalogue/products/products.store.ts listUnpublished
-- Lock: products against everything, for one update of its rows
alter table orchestrator.products add column is_published boolean not null default false;
update orchestrator.products set is_published = true where substr(id::text, 15, 1) = '7' and description is null and owner_groups = '{}' and labels = '{}';
create index products_unpublished on orchestrator.products (tenant, id) where not is_published;
create policy publishing on orchestrator.products to landfall_system using (true);
grant select (tenant, id, is_published) on orchestrator.products to landfall_system;
