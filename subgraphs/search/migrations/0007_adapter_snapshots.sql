-- Why:  an adapter that serves its snapshot says how many documents that is, over hundreds of thousands of rows: counted
--       in an index of next to nothing a row.
-- Read: adapters/adapters.store.ts
-- Lock: search.chunks against writes, while the index is built
create index chunks_documents on search.chunks (tenant, domain) where part = 0 and removed_at is null;
