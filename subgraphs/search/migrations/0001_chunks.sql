-- Why:  everything that can be found, in pieces of a size that can be shown and cited. The rows are the record; the
--       index is made from them, and follows them by (xid, chunk_id), so that the table is its own outbox.
-- Read: corpus/chunks.store.ts; query/cold.store.ts while the index is being read
-- Lock: none; first migration
create extension if not exists btree_gin;
create schema search;
grant usage on schema search to landfall_app, landfall_system;

-- Joining texts is only called stable because of types that have settings; text has none.
create function search.joined(texts text[]) returns text
  language sql immutable parallel safe return array_to_string(texts, ' ');

create table search.chunks (
  chunk_id bigint generated always as identity primary key,
  -- `*` is everybody's: the installation's own documents, and corpora that its operator shares.
  tenant text not null,
  domain text not null check (domain in
    ('findings', 'vex', 'policy', 'release', 'scanner', 'graph', 'timeline', 'opsmemory', 'knowledge')),
  -- Who wrote it: an importer (`osv`, `kev`, …), an adapter (`findings`, …), or `platform`, `docs`, `openapi`, `doctor`.
  source text not null,
  -- The document within its source; together with the part it is what a citation names.
  document_key text not null,
  part integer not null default 0 check (part >= 0),
  entity_type text not null,
  entity_key text not null,
  title text not null,
  body text not null,
  -- Names by which the thing is known exactly: CVE, GHSA, purl, package paths, digests, ids.
  identifiers text[] not null default '{}',
  packages text[] not null default '{}',
  severity text check (severity in ('critical', 'high', 'medium', 'low', 'none')),
  ecosystem text,
  ref_type text,
  ref_id text,
  uri text,
  occurred_at timestamptz,
  attributes jsonb not null default '{}',
  -- sha256 of what was written, so that an import of the same file changes nothing.
  content_hash text not null,
  -- The run that saw the document last: what a whole import did not see again is removed.
  run_id uuid,
  -- A removed chunk stays, empty, until every index has followed.
  removed_at timestamptz,
  updated_at timestamptz not null default kernel.now(),
  xid xid8 not null default pg_current_xact_id(),
  words tsvector generated always as (
    setweight(to_tsvector('simple', left(search.joined(identifiers || packages), 8000)), 'A')
    || setweight(to_tsvector('english', left(title, 2000)), 'B')
    || setweight(to_tsvector('english', left(body, 20000)), 'D')) stored,
  unique (tenant, source, document_key, part),
  check ((ref_type is null) = (ref_id is null))
);

-- What the index follows.
create index chunks_changed on search.chunks (xid, chunk_id);
create index chunks_removed on search.chunks (removed_at) where removed_at is not null;
-- The cold path: tenant and domain are in the index, so that no other tenant's rows are visited.
create index chunks_words on search.chunks using gin (tenant, domain, words);
create index chunks_identifiers on search.chunks using gin (tenant, identifiers);
create index chunks_entity on search.chunks (tenant, entity_key);

alter table search.chunks enable row level security;
create policy tenant on search.chunks to landfall_app
  using (tenant = kernel.tenant()) with check (tenant = kernel.tenant());
create policy shared on search.chunks for select to landfall_app using (tenant = '*');
create policy index on search.chunks to landfall_system using (true);
grant select, insert, update, delete on search.chunks to landfall_app;
grant select, insert, update, delete on search.chunks to landfall_system;
