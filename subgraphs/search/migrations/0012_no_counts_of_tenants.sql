-- Why:  a tenant whose first documents were imported after the table was last counted is believed to have no row, so that
--       any index that begins with the tenant looks as good as the key: each lookup of an import then reads all of the
--       tenant's rows. Without counts a tenant is believed to have a 200th of the table, and the key is always better.
--       And what waits to be put into the indices of words is read by each search of the cold path: a quarter of it.
-- Read: corpus/chunks.store.ts listKept, removeParts, removeUnseen
-- Lock: search.chunks against other changes of its definition, for a moment
alter table search.chunks alter column tenant set statistics 0;
alter index search.chunks_words set (gin_pending_list_limit = 1024);
alter index search.chunks_identifiers set (gin_pending_list_limit = 1024);
