-- Why:  a seal holds in every process, so each reads the tenants' egress policies, whichever module it hosts; and the
--       destinations of the last days say what a seal would break.
-- Read: egress/policies.store.ts, egress/decisions.store.ts
-- Lock: none, the tables are new
create table kernel.egress_policies (
  tenant text not null primary key,
  version integer not null default 1,
  mode text not null default 'unsealed' check (mode in ('unsealed', 'sealed')),
  -- Null until one was set: an environment without a policy cannot be sealed.
  policy jsonb check (jsonb_typeof(policy) = 'object'),
  -- SHA-256 of the policy's canonical JSON.
  policy_digest text,
  -- Reason of the latest seal or unseal, and its actor.
  reason text,
  changed_by text not null,
  changed_at timestamptz not null default kernel.now(),
  sealed_at timestamptz,
  -- Digest of the time anchor at the time of the seal; null where there was none.
  anchor_digest text,
  -- Reason why a start while sealed was blocked; null while nothing is.
  blocked_reason text,
  check (mode = 'unsealed' or (policy is not null and sealed_at is not null))
);
alter table kernel.egress_policies enable row level security;
create policy tenant on kernel.egress_policies to landfall_app using (tenant = kernel.tenant());
create policy enforcement on kernel.egress_policies to landfall_system using (true);
grant select, insert, update on kernel.egress_policies to landfall_app;
grant select, update on kernel.egress_policies to landfall_system;

-- Decisions of a day, added up. Traffic that belongs to no tenant has the tenant ''.
create table kernel.egress_decisions (
  tenant text not null,
  day date not null,
  host text not null,
  port integer not null check (port between 0 and 65535),
  transport text not null check (transport in ('tcp', 'udp', 'http', 'https')),
  -- Part of the product that asked.
  feature text not null,
  allowed bigint not null default 0,
  blocked bigint not null default 0,
  -- Reason of the latest block.
  reason text,
  first_at timestamptz not null default kernel.now(),
  last_at timestamptz not null default kernel.now(),
  primary key (tenant, day, host, port, transport, feature)
);
alter table kernel.egress_decisions enable row level security;
create policy tenant on kernel.egress_decisions to landfall_app using (tenant = kernel.tenant());
-- A seal of any tenant holds for the platform's own traffic, so each sees where that goes.
create policy platform on kernel.egress_decisions for select to landfall_app using (tenant = '');
create policy recording on kernel.egress_decisions to landfall_system using (true);
grant select on kernel.egress_decisions to landfall_app;
grant select, insert, update, delete on kernel.egress_decisions to landfall_system;
