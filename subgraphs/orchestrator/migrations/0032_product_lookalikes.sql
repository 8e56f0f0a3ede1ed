-- Why:  a new product is refused whose name differs from another one's in case only. Products that were there before may
--       differ so, and the index is not unique.
-- Read: catalogue/products/products.store.ts
-- Lock: products against writes, for as long as it takes to index a tenant's products
create index products_lookalikes on orchestrator.products (tenant, lower(name)) where removed_at is null;
