-- Why:  what followed an answer is found by who did it; an alert knows when it was resolved, so that what was settled is
--       not raised again; what is past its time is removed; and a query of a thousand characters fits no index row, so
--       that equal ones are told by their hash.
-- Read: quality/*.store.ts
-- Lock: short; the tables are new
create index analytics_following on search.analytics (tenant, subject, at)
  where kind in ('click', 'rescue_action', 'reformulation');
create index analytics_fallbacks on search.analytics (tenant, at) where kind = 'answer_frame' and outcome = 'fallback';

drop index search.history_once;
create unique index history_once on search.history (tenant, subject, md5(query));

alter table search.alerts add column resolved_at timestamptz;
drop index search.alerts_open;
create unique index alerts_open on search.alerts (tenant, alert_type, md5(lower(query))) where status <> 'resolved';
create index alerts_resolved on search.alerts (tenant, alert_type, md5(lower(query)), resolved_at)
  where status = 'resolved';
grant insert on search.alerts to landfall_app;
grant delete on search.alerts to landfall_system;
grant delete on search.feedback to landfall_system;
