-- Why:  a directory filled groups that it had not made, and a provider's claim every group of a name, up to those that make
--       administrators. A source governs a group only when an administrator has named it there.
-- Read: groups/groups.store.ts, scim/takeover.ts, federation/arrivals.ts
-- Lock: groups, exclusively and shortly: a constant default rewrites no row
-- `scim`, or ids of identity providers. Nothing of before is taken for an administrator's word.
alter table authority.groups add column sources text[] not null default '{}';
