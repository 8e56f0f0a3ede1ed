-- Why:  an object is moved away outside of transactions, since a bucket is asked over the network; no put may rely on it.
-- Read: objects/object-moves.store.ts
-- Lock: none, the table is new
create table evidence.object_moves (
  -- Name-based over tenant and content: it tells nothing to another tenant.
  artifact_id uuid primary key,
  storage_key text not null,
  purpose text not null check (purpose in ('discard', 'quarantine')),
  is_moving boolean not null default true,
  -- Grows with each beginning and each end: a put that saw another number placed its object before or during a move.
  mark integer not null default 1,
  moved_at timestamptz not null default kernel.now()
);
create index object_moves_moving on evidence.object_moves (moved_at) where is_moving;
alter table evidence.object_moves enable row level security;
create policy reading on evidence.object_moves for select to landfall_app using (true);
create policy work on evidence.object_moves to landfall_system using (true);
grant select (artifact_id, is_moving, mark) on evidence.object_moves to landfall_app;
grant select, insert, update, delete on evidence.object_moves to landfall_system;
