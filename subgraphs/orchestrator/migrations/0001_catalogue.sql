-- Why:  what is promoted and where to: environments, targets, integrations, secrets, releases, promotions.
-- Read: <noun>/<noun>.store.ts, one table family a file
-- Lock: none; first migration of the module
create schema orchestrator;
grant usage on schema orchestrator to landfall_app, landfall_system;

-- Promotion path: listed in order (environments.store list), found by id.
create table orchestrator.environments (
  tenant text not null,
  id uuid not null,
  name text not null,
  order_index integer not null check (order_index >= 0),
  stage_kind text not null check (stage_kind in ('dev', 'test', 'stage', 'prod')),
  required_approvals integer not null check (required_approvals between 0 and 10),
  separation_of_duties text not null check (separation_of_duties in ('off', 'author')),
  required_evidence jsonb not null check (required_evidence <@ '["sbom", "vex", "score_proof", "provenance"]'),
  default_strategy text not null check (default_strategy in ('all_at_once', 'rolling', 'canary', 'blue_green')),
  deploy_timeout_seconds integer not null check (deploy_timeout_seconds > 0),
  created_by text not null,
  created_at timestamptz not null default kernel.now(),
  updated_by text not null,
  updated_at timestamptz not null default kernel.now(),
  version integer not null default 1,
  primary key (tenant, id),
  constraint environments_name unique (tenant, name),
  constraint environments_order unique (tenant, order_index)
);
alter table orchestrator.environments enable row level security;
create policy tenant on orchestrator.environments to landfall_app using (tenant = kernel.tenant());
grant select, insert, update on orchestrator.environments to landfall_app;

-- A target names its secrets without a foreign key: a name that resolves to nothing is preflight's finding.
create table orchestrator.targets (
  tenant text not null,
  id uuid not null,
  environment_id uuid not null,
  name text not null,
  driver text not null check (driver in ('process')),
  config jsonb not null,
  secret_refs jsonb not null,
  agent_id uuid,
  state text not null default 'enrolled'
    check (state in ('enrolled', 'healthy', 'unhealthy', 'unknown', 'draining', 'disabled')),
  health_state text not null default 'unknown' check (health_state in ('healthy', 'unhealthy', 'unknown')),
  health_checked_at timestamptz,
  health_detail text,
  created_by text not null,
  created_at timestamptz not null default kernel.now(),
  updated_by text not null,
  updated_at timestamptz not null default kernel.now(),
  version integer not null default 1,
  primary key (tenant, id),
  constraint targets_name unique (tenant, environment_id, name),
  foreign key (tenant, environment_id) references orchestrator.environments (tenant, id)
);
create index targets_agent on orchestrator.targets (tenant, agent_id);
alter table orchestrator.targets enable row level security;
create policy tenant on orchestrator.targets to landfall_app using (tenant = kernel.tenant());
grant select, insert, update on orchestrator.targets to landfall_app;

-- Found by the host of a component's repository, so a host belongs to one integration. `credentials` is sealed.
create table orchestrator.integrations (
  tenant text not null,
  id uuid not null,
  kind text not null check (kind in ('registry')),
  name text not null,
  base_url text not null,
  host text not null,
  credentials bytea,
  probe_ok boolean,
  probe_code text,
  probe_detail text,
  probe_at timestamptz,
  created_by text not null,
  created_at timestamptz not null default kernel.now(),
  updated_by text not null,
  updated_at timestamptz not null default kernel.now(),
  version integer not null default 1,
  primary key (tenant, id),
  constraint integrations_name unique (tenant, name),
  constraint integrations_host unique (tenant, host),
  check ((probe_ok is null) = (probe_at is null))
);
alter table orchestrator.integrations enable row level security;
create policy tenant on orchestrator.integrations to landfall_app using (tenant = kernel.tenant());
grant select, insert, update on orchestrator.integrations to landfall_app;

create table orchestrator.secrets (
  tenant text not null,
  name text not null,
  sealed bytea not null,
  created_by text not null,
  created_at timestamptz not null default kernel.now(),
  updated_by text not null,
  updated_at timestamptz not null default kernel.now(),
  version integer not null default 1,
  primary key (tenant, name)
);
alter table orchestrator.secrets enable row level security;
create policy tenant on orchestrator.secrets to landfall_app using (tenant = kernel.tenant());
grant select, insert, update on orchestrator.secrets to landfall_app;

-- Newest first by id (a UUIDv7 grows with time), by status and by name.
create table orchestrator.releases (
  tenant text not null,
  id uuid not null,
  name text not null,
  semver text not null,
  status text not null default 'draft' check (status in ('draft', 'finalized', 'ready', 'deprecated')),
  notes text,
  hold_reason text,
  hold_since timestamptz,
  hold_actor text,
  gated_digest_set text,
  finalized_by text,
  finalized_at timestamptz,
  deprecation_reason text,
  created_by text not null,
  created_at timestamptz not null default kernel.now(),
  updated_by text not null,
  updated_at timestamptz not null default kernel.now(),
  version integer not null default 1,
  primary key (tenant, id),
  constraint releases_name unique (tenant, name, semver),
  check ((status = 'draft') = (gated_digest_set is null)),
  check ((status = 'draft') = (finalized_at is null)),
  check ((hold_reason is null) = (hold_since is null) and (hold_reason is null) = (hold_actor is null))
);
create index releases_status on orchestrator.releases (tenant, status, id);
alter table orchestrator.releases enable row level security;
create policy tenant on orchestrator.releases to landfall_app using (tenant = kernel.tenant());
grant select, insert, update on orchestrator.releases to landfall_app;

-- `digest` is what was declared until finalize, and the gated digest from then on: finalize refuses a difference.
create table orchestrator.release_components (
  tenant text not null,
  release_id uuid not null,
  name text not null,
  repository text not null,
  requested_tag text,
  digest text,
  media_type text,
  depends_on text[] not null,
  primary key (tenant, release_id, name),
  foreign key (tenant, release_id) references orchestrator.releases (tenant, id),
  check (requested_tag is not null or digest is not null)
);
create index release_components_digest on orchestrator.release_components (tenant, digest);
alter table orchestrator.release_components enable row level security;
create policy tenant on orchestrator.release_components to landfall_app using (tenant = kernel.tenant());
grant select, insert, update, delete on orchestrator.release_components to landfall_app;

create table orchestrator.component_platforms (
  tenant text not null,
  release_id uuid not null,
  component text not null,
  platform text not null,
  digest text not null,
  primary key (tenant, release_id, component, platform),
  foreign key (tenant, release_id, component) references orchestrator.release_components (tenant, release_id, name)
);
create index component_platforms_digest on orchestrator.component_platforms (tenant, digest);
alter table orchestrator.component_platforms enable row level security;
create policy tenant on orchestrator.component_platforms to landfall_app using (tenant = kernel.tenant());
grant select, insert on orchestrator.component_platforms to landfall_app;

create table orchestrator.release_evidence (
  tenant text not null,
  release_id uuid not null,
  type text not null check (type in ('sbom', 'vex', 'score_proof', 'provenance')),
  digest text not null,
  recorded_by text not null,
  recorded_at timestamptz not null default kernel.now(),
  constraint release_evidence_key primary key (tenant, release_id, type, digest),
  foreign key (tenant, release_id) references orchestrator.releases (tenant, id)
);
alter table orchestrator.release_evidence enable row level security;
create policy tenant on orchestrator.release_evidence to landfall_app using (tenant = kernel.tenant());
grant select, insert on orchestrator.release_evidence to landfall_app;

create table orchestrator.promotions (
  tenant text not null,
  id uuid not null,
  release_id uuid not null,
  target_environment_id uuid not null,
  source_environment_id uuid,
  state text not null check
    (state in ('pending', 'approved', 'rejected', 'cancelled', 'deploying', 'deployed', 'failed', 'superseded')),
  reason text not null,
  requested_by text not null,
  approvals_needed integer not null check (approvals_needed >= 0),
  gated_digest_set text not null,
  created_at timestamptz not null default kernel.now(),
  updated_by text not null,
  updated_at timestamptz not null default kernel.now(),
  version integer not null default 1,
  primary key (tenant, id),
  foreign key (tenant, release_id) references orchestrator.releases (tenant, id),
  foreign key (tenant, target_environment_id) references orchestrator.environments (tenant, id),
  foreign key (tenant, source_environment_id) references orchestrator.environments (tenant, id)
);
create unique index promotions_open on orchestrator.promotions (tenant, release_id, target_environment_id)
  where state in ('pending', 'approved', 'deploying');
create index promotions_release on orchestrator.promotions (tenant, release_id, id);
create index promotions_environment on orchestrator.promotions (tenant, target_environment_id, id);
create index promotions_state on orchestrator.promotions (tenant, state, id);
alter table orchestrator.promotions enable row level security;
create policy tenant on orchestrator.promotions to landfall_app using (tenant = kernel.tenant());
grant select, insert, update on orchestrator.promotions to landfall_app;

-- One row an actor, so that two approvers never conflict and nobody counts twice.
create table orchestrator.promotion_approvals (
  tenant text not null,
  promotion_id uuid not null,
  actor text not null,
  decision text not null check (decision in ('approved', 'rejected')),
  comment text,
  gated_digest_set text not null,
  at timestamptz not null default kernel.now(),
  primary key (tenant, promotion_id, actor),
  foreign key (tenant, promotion_id) references orchestrator.promotions (tenant, id)
);
alter table orchestrator.promotion_approvals enable row level security;
create policy tenant on orchestrator.promotion_approvals to landfall_app using (tenant = kernel.tenant());
grant select, insert, update on orchestrator.promotion_approvals to landfall_app;
