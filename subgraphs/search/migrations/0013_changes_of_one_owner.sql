-- Why:  an index that begins with the tenant and holds the number further on looks, by luck of the statistics, as good for
--       chunks by their numbers as the primary key, and then all of a tenant's rows are read. And one owner's changes were
--       found by the order of everybody's where the planner thought little of the owner. The owner as an expression is
--       in this index alone, for the one statement that compares and orders by it.
-- Read: vectors/vectors.store.ts
-- Lock: search.chunks against writes while the index is built
create index chunks_changed_of_owner on search.chunks ((tenant || ''), xid, chunk_id);
drop index search.chunks_of_tenant;
