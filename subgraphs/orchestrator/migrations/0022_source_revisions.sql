-- Why:  before somebody approves or launches they see the commits and tickets between what runs and what comes.
-- Read: releases/components.store.ts, images/image-statements.store.ts, integrations/integrations.store.ts,
--       comparison/commit-ranges.store.ts, comparison/ticket-rules.store.ts
-- Lock: the tables that exist against everything, for no longer than it takes to change their definition
-- Labels of a component's image when it was finalized; null for releases of before.
alter table orchestrator.release_components
  add column source text,
  add column revision text,
  add column image_version text;
-- Commit that provenance names; null for readings of before.
alter table orchestrator.image_statements
  add column source_uri text,
  add column source_revision text;

-- A forge is an integration of its own: its host may be that of a registry too.
alter table orchestrator.integrations add column provider text check (provider in ('github', 'gitlab', 'gitea'));
alter table orchestrator.integrations drop constraint integrations_kind_check;
alter table orchestrator.integrations
  add constraint integrations_kind_check check (kind in ('registry', 'metrics', 'scm')),
  add constraint integrations_kind_provider check ((kind = 'scm') = (provider is not null));
create unique index integrations_forge on orchestrator.integrations (tenant, host) where kind = 'scm';

-- Commits between two full revisions, which never change: what a forge answered once.
create table orchestrator.commit_ranges (
  tenant text not null,
  source text not null,
  from_revision text not null,
  to_revision text not null,
  direction text not null check (direction in ('added', 'removed')),
  total integer not null check (total >= 0),
  commits jsonb not null check (jsonb_typeof(commits) = 'array'),
  read_at timestamptz not null default kernel.now(),
  primary key (tenant, source, from_revision, to_revision)
);
create index commit_ranges_read on orchestrator.commit_ranges (read_at);
alter table orchestrator.commit_ranges enable row level security;
create policy tenant on orchestrator.commit_ranges to landfall_app using (tenant = kernel.tenant());
create policy pruning on orchestrator.commit_ranges to landfall_system using (true);
grant select, insert on orchestrator.commit_ranges to landfall_app;
grant select (read_at), delete on orchestrator.commit_ranges to landfall_system;

-- Expressions that find tickets in commit messages: of a product, or of the tenant where `product_id` is null.
create table orchestrator.ticket_rules (
  tenant text not null,
  id uuid not null,
  product_id uuid,
  rules jsonb not null check (jsonb_typeof(rules) = 'array'),
  updated_by text not null,
  updated_at timestamptz not null default kernel.now(),
  version integer not null default 1,
  primary key (tenant, id),
  foreign key (tenant, product_id) references orchestrator.products (tenant, id)
);
create unique index ticket_rules_scope on orchestrator.ticket_rules (tenant, product_id) nulls not distinct;
alter table orchestrator.ticket_rules enable row level security;
create policy tenant on orchestrator.ticket_rules to landfall_app using (tenant = kernel.tenant());
grant select, insert, update on orchestrator.ticket_rules to landfall_app;
