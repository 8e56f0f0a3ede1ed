-- Why:  readers of events stop at the oldest open transaction of this database, not of the whole server.
-- Read: events/horizon.ts
-- Lock: none; functions are added

-- Horizon of a snapshot: every transaction of this database with a smaller id had ended when the snapshot was taken, so
-- none of its rows can appear later. pg_snapshot_xmin alone counts the transactions of every database of the server.
-- A running transaction is left out only when it is proven to belong to another database: its own lock is held by a
-- process that serves another one, or it is prepared in another one. In doubt it counts as ours.
--
-- The proof rests on the order of the three readings. The snapshot comes first, then pg_stat_activity, then pg_locks. A
-- process that holds the lock of a transaction of the snapshot has lived since before the snapshot, so it is the one that
-- pg_stat_activity showed under that process id: a process id that was given out again in between proves nothing false.
-- Within a transaction pg_stat_activity is remembered, hence pg_stat_clear_snapshot.
create function kernel.horizon(seen pg_snapshot) returns xid8
  language plpgsql stable parallel restricted
  set search_path = pg_catalog, pg_temp
as $$
declare
  own constant xid8 := pg_current_xact_id_if_assigned();
  here oid;
  running xid8[];
  processes integer[];
begin
  if pg_snapshot_xmin(seen) = pg_snapshot_xmax(seen) then
    return least(pg_snapshot_xmax(seen), own);
  end if;
  running := array(select pg_snapshot_xip(seen));
  here := (select oid from pg_database where datname = current_database());
  perform pg_stat_clear_snapshot();
  processes := array(select a.pid from pg_stat_get_activity(null) a where a.datid <> here and a.datid <> 0);
  if cardinality(processes) > 0 then
    running := array(
      select x from unnest(running) x
      where not exists (
        select from pg_locks l
        where l.locktype = 'transactionid' and l.transactionid = x::xid
          and l.mode = 'ExclusiveLock' and l.granted and l.pid = any(processes)));
  end if;
  if cardinality(running) > 0 and current_setting('max_prepared_transactions')::integer > 0 then
    running := array(
      select x from unnest(running) x
      where not exists (
        select from pg_prepared_xact() p where p.transaction = x::xid and p.dbid <> here));
  end if;
  return least((select min(x) from unnest(running) x), pg_snapshot_xmax(seen), own);
end
$$;

-- Open transactions with an id that the horizon waits for: those of this database and those without a proof. It runs as
-- its owner, who sees since when they are open; without pg_read_all_stats the owner sees that of its own sessions alone.
create function kernel.horizon_holders()
  returns table (pid integer, gid text, login text, application text, state text, since timestamptz)
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
begin atomic
  select l.pid, null::text, a.usename::text, a.application_name, a.state, a.xact_start
  from pg_locks l left join pg_stat_activity a on a.pid = l.pid
  where l.locktype = 'transactionid' and l.mode = 'ExclusiveLock' and l.granted and l.pid is not null
    and coalesce(a.datname, current_database()) = current_database()
    and l.transactionid is distinct from pg_current_xact_id_if_assigned()::xid
  union
  select null::integer, p.gid, p.owner::text, null::text, 'prepared', p.prepared
  from pg_prepared_xacts p where p.database = current_database();
end;

revoke all on function kernel.horizon_holders() from public;
grant execute on function kernel.horizon_holders() to landfall_system;
