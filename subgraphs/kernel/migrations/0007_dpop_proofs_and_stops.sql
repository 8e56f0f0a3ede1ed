-- Why:  a DPoP proof is good once, over every process and restart (RFC 9449 11.1); a tenant, client or person that is
--       stopped ends at once what was issued to it, whatever is still valid by its dates.
-- Read: dpop.ts, denylist.ts (the edge, writes, the authority's endpoints)
-- Lock: none; new tables

-- Proofs until they would have gone stale anyway. Nobody's tenant is known when a proof is looked at.
create table kernel.dpop_proofs (
  jkt text not null,
  jti text not null,
  expires_at timestamptz not null,
  primary key (jkt, jti)
);
create index dpop_proofs_expiry on kernel.dpop_proofs (expires_at);
alter table kernel.dpop_proofs enable row level security;
create policy edge on kernel.dpop_proofs to landfall_system using (true);
grant select, insert, delete on kernel.dpop_proofs to landfall_system;

-- Who is stopped: a tenant's slug, the ids of clients and people, and nothing else. A client that serves every tenant is
-- looked up by each of them, so no tenant is on the row. `earlier` is a client that goes on with less than it had.
create table kernel.stopped (
  kind text not null check (kind in ('tenant', 'client', 'user', 'earlier')),
  id text not null,
  -- Of `earlier`: a UUIDv7. Ids of tokens grow with time, so those below it were issued before.
  issued_before text collate "C" check ((issued_before is not null) = (kind = 'earlier')),
  at timestamptz not null default kernel.now(),
  -- The tenant that stopped a client or a person of its own, and alone lets it in again.
  stopped_by text default kernel.tenant(),
  primary key (kind, id)
);
alter table kernel.stopped enable row level security;
-- Everybody asks for everybody; a tenant is stopped by the operator alone.
create policy denylist on kernel.stopped for select to landfall_app using (true);
create policy tenant on kernel.stopped for insert to landfall_app
  with check (kind <> 'tenant' and stopped_by = kernel.tenant());
create policy again on kernel.stopped for update to landfall_app
  using (kind = 'earlier' and stopped_by = kernel.tenant());
create policy operator on kernel.stopped to landfall_system using (true);
grant select, insert, update (issued_before) on kernel.stopped to landfall_app;
grant select, insert, delete on kernel.stopped to landfall_system;

-- The app role deletes from no table above tenants; this is all of it that letting somebody in again needs.
create function kernel.let_in_again(kind text, id text) returns void
  language sql security definer
  set search_path = ''
  begin atomic
    delete from kernel.stopped s
    where s.kind = let_in_again.kind and s.id = let_in_again.id and s.kind in ('client', 'user')
      and s.stopped_by = kernel.tenant();
  end;
revoke all on function kernel.let_in_again (text, text) from public;
grant execute on function kernel.let_in_again (text, text) to landfall_app;
