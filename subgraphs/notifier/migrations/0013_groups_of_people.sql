-- Why:  events may be collected for a person, whose groups and digests are their own; the steps of a person's lists may wait
--       for each other.
-- Read: routing/groups.store.ts, people/people.store.ts, people/recipients.store.ts
-- Lock: notify.groups and notify.people for a moment, as the new columns have constant defaults
alter table notify.groups
  -- The person who is told, and their address; null where the channel has an address of its own.
  add column recipient text,
  add column contact_method_id uuid,
  -- Wait of the step of the person's list before the first message.
  add column wait_seconds integer not null default 0 check (wait_seconds >= 0),
  add foreign key (tenant, contact_method_id) references notify.contact_methods (tenant, id),
  add check (num_nulls(recipient, contact_method_id) in (0, 2));

alter table notify.people
  -- Minutes between the steps of each list.
  add column default_waits integer[] not null default '{}',
  add column important_waits integer[] not null default '{}';
