-- Why:  which advisories affect a package is read from one table: the join cost as much as everything else of the question.
-- Read: feeds/advisories.store.ts, feeds/aliases.store.ts
-- Lock: access exclusive on scanner.advisory_packages while its rows are written anew
alter table scanner.advisory_packages
  -- Copies of the advisory's: the group, and the document without `details` where it has a summary.
  add column alias_group bigint,
  add column head jsonb check (jsonb_typeof(head) = 'object');
update scanner.advisory_packages p
set alias_group = a.alias_group, head = case when a.head->>'summary' is null then a.head else a.head - 'details' end
from scanner.advisories a
where a.tenant = p.tenant and a.id = p.advisory_id;
alter table scanner.advisory_packages
  alter column alias_group set not null,
  alter column head set not null;
