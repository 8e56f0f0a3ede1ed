-- Why:  rows of everybody have the tenant `*` in every table; egress decisions of no tenant had the empty one.
-- Read: egress/decisions.store.ts
-- Lock: a short one on a table that nothing has written yet
drop policy platform on kernel.egress_decisions;
create policy platform on kernel.egress_decisions for select to landfall_app using (tenant = '*');
