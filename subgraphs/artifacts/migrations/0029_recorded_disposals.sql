-- Why:  no login of the platform deletes evidence whose disposal is not recorded, also where no end of its retention was set.
-- Read: custody/retention.ts, custody/holds.store.ts
-- Lock: none, functions are replaced

-- Whether an artifact stays: until the end of its retention, and until its disposal after that end is recorded.
create function evidence.is_retained(artifact evidence.artifact_index) returns boolean
language sql stable set search_path = '' as $$
  select coalesce(artifact.retain_until > kernel.now(), false) or not exists (
    select from evidence.disposals as d
    where d.tenant = artifact.tenant and d.artifact_id = artifact.artifact_id
      -- A disposal has the end in whole milliseconds.
      and d.retained_until > coalesce(artifact.retain_until, artifact.created_at) - interval '1 second')
$$;

create or replace function evidence.guard_retention() returns trigger language plpgsql set search_path = '' as $$
begin
  if tg_op = 'DELETE' then
    if evidence.is_retained(old) then
      raise exception 'The retention of the artifact % has not ended, or no disposal is recorded.', old.artifact_id using errcode = 'restrict_violation';
    end if;
    return old;
  end if;
  raise exception 'The retention of the artifact % only grows.', old.artifact_id using errcode = 'restrict_violation';
end $$;

create or replace function evidence.guard_hold() returns trigger language plpgsql set search_path = '' as $$
begin
  if tg_op = 'UPDATE' then
    raise exception 'The hold % has ended: it stays so.', old.id using errcode = 'restrict_violation';
  end if;
  if old.ended_at is null or exists (
    select from evidence.artifact_index as a
    where a.tenant = old.tenant and a.artifact_id = old.artifact_id and evidence.is_retained(a)) then
    raise exception 'The hold % goes with its artifact.', old.id using errcode = 'restrict_violation';
  end if;
  return old;
end $$;
