-- Why:  a set whose tag moves again and again is gathered a few times only, candidates that ended are deleted beyond the
--       newest of each product, and the newest ones and those of a set are found without reading all.
-- Read: deciding/sources/candidates.store.ts gather, prune, listNewest, findUnusedDraft, hasSet
-- Lock: release_candidates and releases against writes while their indexes are built
alter table orchestrator.release_candidates add column repeats integer not null default 0;
create index release_candidates_newest
  on orchestrator.release_candidates (tenant, product_id, first_change_at desc, id desc);
create index releases_gated_digest_set on orchestrator.releases (tenant, product_id, gated_digest_set)
  where gated_digest_set is not null;
grant select (product_id, state, first_change_at), delete on orchestrator.release_candidates to landfall_system;
