-- Why:  what people asked, what they took of the answers and what they said of them: the quality loop's record.
-- Read: quality/*.store.ts
-- Lock: none; new tables
create table search.analytics (
  tenant text not null,
  event_id uuid not null,
  at timestamptz not null default kernel.now(),
  kind text not null check (kind in
    ('query', 'click', 'zero_result', 'synthesis', 'answer_frame', 'reformulation', 'rescue_action')),
  subject text not null,
  session_id text,
  query text,
  entity_key text,
  position integer,
  result_count integer,
  -- Of an answer frame: grounded, fallback, clarify, insufficient.
  outcome text,
  mode text,
  domain text,
  duration_ms double precision,
  primary key (tenant, event_id)
);
create index analytics_time on search.analytics (tenant, at, kind);
create index analytics_age on search.analytics using brin (at);
create index analytics_clicks on search.analytics (tenant, entity_key, at) where kind = 'click';
alter table search.analytics enable row level security;
create policy tenant on search.analytics to landfall_app using (tenant = kernel.tenant());
create policy upkeep on search.analytics to landfall_system using (true);
grant select, insert on search.analytics to landfall_app;
grant select, delete on search.analytics to landfall_system;

create table search.history (
  tenant text not null,
  subject text not null,
  history_id uuid not null,
  query text not null,
  result_count integer not null,
  at timestamptz not null default kernel.now(),
  primary key (tenant, history_id)
);
create index history_of on search.history (tenant, subject, at desc, history_id);
-- The same words again move up; they do not fill the list.
create unique index history_once on search.history (tenant, subject, query);
alter table search.history enable row level security;
create policy tenant on search.history to landfall_app using (tenant = kernel.tenant());
create policy upkeep on search.history to landfall_system using (true);
grant select, insert, update, delete on search.history to landfall_app;
grant select, delete on search.history to landfall_system;

create table search.feedback (
  tenant text not null,
  feedback_id uuid not null,
  subject text not null,
  query text not null,
  entity_key text not null,
  signal text not null check (signal in ('helpful', 'not_helpful')),
  comment text,
  at timestamptz not null default kernel.now(),
  primary key (tenant, feedback_id)
);
create index feedback_time on search.feedback (tenant, at);
alter table search.feedback enable row level security;
create policy tenant on search.feedback to landfall_app using (tenant = kernel.tenant());
create policy upkeep on search.feedback to landfall_system using (true);
grant select, insert on search.feedback to landfall_app;
grant select on search.feedback to landfall_system;

create table search.alerts (
  tenant text not null,
  alert_id uuid not null,
  alert_type text not null check (alert_type in ('fallback_loop', 'abandoned_fallback')),
  status text not null default 'open' check (status in ('open', 'acknowledged', 'resolved')),
  query text not null,
  occurrences integer not null,
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  resolution text,
  version integer not null default 1,
  primary key (tenant, alert_id)
);
-- One that is not resolved yet grows; it is not raised twice.
create unique index alerts_open on search.alerts (tenant, alert_type, query) where status <> 'resolved';
create index alerts_newest on search.alerts (tenant, last_seen_at desc, alert_id);
alter table search.alerts enable row level security;
create policy tenant on search.alerts to landfall_app using (tenant = kernel.tenant());
create policy monitor on search.alerts to landfall_system using (true);
grant select, update on search.alerts to landfall_app;
grant select, insert, update on search.alerts to landfall_system;
