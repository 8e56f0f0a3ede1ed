-- Why:  no login of the platform brings an end of retention nearer or takes a hold away, and a sender's word is no proof.
-- Read: custody/retention.ts, custody/holds.store.ts, completeness/completeness.store.ts
-- Lock: evidence.artifact_index while artifacts with a sender's type are marked
alter table evidence.artifact_index
  -- Whether the type is the sender's word: the form of the content is not known, or is another.
  add column is_type_given boolean not null default false;
update evidence.artifact_index as a set is_type_given = true
where artifact_type in ('Sbom', 'Vex', 'RekorProof', 'Verdict') and signature is null and (
  content_note is not null and not exists (
    select from evidence.artifact_subjects as s where s.tenant = a.tenant and s.artifact_id = a.artifact_id)
  or artifact_type <> 'Verdict' and (content_type = 'application/vnd.in-toto+json' or exists (
    select from evidence.artifact_subjects as s
    where s.tenant = a.tenant and s.artifact_id = a.artifact_id and s.predicate_type <> '')));

create function evidence.guard_retention() returns trigger language plpgsql set search_path = '' as $$
begin
  if tg_op = 'DELETE' then
    if old.retain_until > kernel.now() then
      raise exception 'The retention of the artifact % has not ended.', old.artifact_id using errcode = 'restrict_violation';
    end if;
    return old;
  end if;
  raise exception 'The retention of the artifact % only grows.', old.artifact_id using errcode = 'restrict_violation';
end $$;
create trigger artifact_index_retention before update of retain_until on evidence.artifact_index
  for each row when (old.retain_until is not null and coalesce(new.retain_until < old.retain_until, true))
  execute function evidence.guard_retention();
create trigger artifact_index_kept before delete on evidence.artifact_index
  for each row execute function evidence.guard_retention();

create function evidence.guard_hold() returns trigger language plpgsql set search_path = '' as $$
begin
  if tg_op = 'UPDATE' then
    raise exception 'The hold % has ended: it stays so.', old.id using errcode = 'restrict_violation';
  end if;
  if old.ended_at is null or exists (
    select from evidence.artifact_index as a
    where a.tenant = old.tenant and a.artifact_id = old.artifact_id and a.retain_until > kernel.now()) then
    raise exception 'The hold % goes with its artifact.', old.id using errcode = 'restrict_violation';
  end if;
  return old;
end $$;
create trigger holds_ended before update on evidence.holds
  for each row when (old.ended_at is not null) execute function evidence.guard_hold();
create trigger holds_kept before delete on evidence.holds
  for each row execute function evidence.guard_hold();
