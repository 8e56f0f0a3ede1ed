-- Why:  what the platform signed stands in a log that only grows, so that nobody, not even who runs it, takes back or
--       replaces a statement unseen (RFC 9162; C2SP tlog-tiles).
-- Read: tlog/log.store.ts, tlog/history.store.ts, tlog/tiles.store.ts, tlog/cosignatures.store.ts
-- Lock: none; a new schema
-- Nothing here belongs to a tenant: hashes, signatures and public keys, which anybody may read.
create schema tlog;
grant usage on schema tlog to landfall_system;

-- A log is known by the first line of its checkpoints. Another platform domain begins another log.
create table tlog.logs (
  id integer generated always as identity primary key,
  origin text not null unique
);
alter table tlog.logs enable row level security;
create policy log on tlog.logs to landfall_system using (true);
grant select, insert on tlog.logs to landfall_system;

-- The hashes are the database's own work, so that a body which is edited contradicts the tile that holds its leaf.
create table tlog.entries (
  log_id integer not null references tlog.logs (id),
  idx bigint not null check (idx >= 0),
  body bytea not null check (octet_length(body) between 1 and 65535),
  leaf_hash bytea not null generated always as (sha256('\x00'::bytea || body)) stored,
  body_hash bytea not null generated always as (sha256(body)) stored,
  primary key (log_id, idx),
  -- One entry a body: an append that is tried again finds the one that it made.
  unique (log_id, body_hash)
);
alter table tlog.entries enable row level security;
create policy log on tlog.entries to landfall_system using (true);
grant select, insert on tlog.entries to landfall_system;

-- The tree: 256 hashes a tile, each level the roots of the full tiles below. Only a rightmost tile grows.
create table tlog.tiles (
  log_id integer not null references tlog.logs (id),
  level integer not null check (level between 0 and 6),
  tile_index bigint not null check (tile_index >= 0),
  hashes bytea not null check (octet_length(hashes) between 32 and 8192 and octet_length(hashes) % 32 = 0),
  width integer not null generated always as (octet_length(hashes) / 32) stored,
  primary key (log_id, level, tile_index)
);
-- Hashes do not compress; trying costs time at every append.
alter table tlog.tiles alter column hashes set storage external;
alter table tlog.tiles enable row level security;
create policy log on tlog.tiles to landfall_system using (true);
grant select, insert on tlog.tiles to landfall_system;
grant update (hashes) on tlog.tiles to landfall_system;

-- What was signed, one row a commit; a note names its size and root, which stand beside it to be compared.
create table tlog.checkpoints (
  log_id integer not null references tlog.logs (id),
  size bigint not null check (size > 0),
  root_hash bytea not null check (octet_length(root_hash) = 32),
  note text not null,
  signed_at timestamptz not null default kernel.now(),
  primary key (log_id, size)
);
-- How large the log was when a key ended.
create index checkpoints_signed on tlog.checkpoints (log_id, signed_at);
alter table tlog.checkpoints enable row level security;
create policy log on tlog.checkpoints to landfall_system using (true);
grant select, insert on tlog.checkpoints to landfall_system;

-- Lines by which witnesses attest that they saw a checkpoint and that the log grew into it.
create table tlog.cosignatures (
  log_id integer not null,
  size bigint not null,
  witness text not null,
  line text not null,
  cosigned_at timestamptz not null,
  primary key (log_id, witness, size),
  foreign key (log_id, size) references tlog.checkpoints (log_id, size)
);
create index cosignatures_checkpoint on tlog.cosignatures (log_id, size);
alter table tlog.cosignatures enable row level security;
create policy log on tlog.cosignatures to landfall_system using (true);
grant select, insert on tlog.cosignatures to landfall_system;
