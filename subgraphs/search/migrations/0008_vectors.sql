-- Why:  vectors are made for one tenant at a time, when it first needs them, in the order in which its chunks changed.
-- Read: vectors/vectors.store.ts
-- Lock: short; the table is new
create index chunks_of_tenant on search.chunks (tenant, xid, chunk_id);
