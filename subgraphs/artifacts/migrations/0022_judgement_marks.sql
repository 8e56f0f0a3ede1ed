-- Why:  a judgement by the trust of a moment ago must not end the wait for one by the trust of now.
-- Read: verdicts/judgement.store.ts, records/artifacts.store.ts
-- Lock: evidence.artifact_index for a moment
alter table evidence.artifact_index
  -- Counts the reasons to judge it; a judgement ends the wait only if there was no further one since it began.
  add column judgement_mark integer not null default 0;
