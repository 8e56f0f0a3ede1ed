-- Why:  what images say of their source and build counts by whom the tenant trusts; it is read once after finalize.
-- Read: admission/trusted-signers.store.ts, admission/image-statements.store.ts, admission/image-readings.store.ts,
--       custody/custody.store.ts
-- Lock: `approved_components` against writes, while its index is built
-- `public_key` is SPKI in PEM, `trusted_root` a Sigstore trusted root in JSON. Removed ones stay for what they signed.
create table orchestrator.trusted_signers (
  tenant text not null,
  id uuid not null,
  name text not null,
  kind text not null check (kind in ('key', 'identity')),
  purposes text[] not null check (cardinality(purposes) > 0 and purposes <@ '{image,source,build}'),
  public_key text,
  key_id text,
  issuer text,
  identity text,
  trusted_root text,
  builder_id text,
  removed_at timestamptz,
  removed_by text,
  created_by text not null,
  created_at timestamptz not null default kernel.now(),
  version integer not null default 1,
  primary key (tenant, id),
  check ((kind = 'key') = (public_key is not null)),
  check ((kind = 'key') = (key_id is not null)),
  check ((kind = 'identity') = (issuer is not null)),
  check ((kind = 'identity') = (identity is not null)),
  check (kind = 'key' or trusted_root is not null),
  check ((removed_at is null) = (removed_by is null))
);
create unique index trusted_signers_name on orchestrator.trusted_signers (tenant, name) where removed_at is null;
-- Who is removed counts no longer: no second row of the same key or identity goes on counting.
create unique index trusted_signers_key on orchestrator.trusted_signers (tenant, key_id)
  where removed_at is null and kind = 'key';
-- Hashed, since both may be longer than an index takes.
create unique index trusted_signers_identity on orchestrator.trusted_signers
  (tenant, hashtextextended(issuer, 0), hashtextextended(identity, 0))
  where removed_at is null and kind = 'identity';
alter table orchestrator.trusted_signers enable row level security;
create policy tenant on orchestrator.trusted_signers to landfall_app using (tenant = kernel.tenant());
grant select, insert, update on orchestrator.trusted_signers to landfall_app;

-- One a finalized release: when its images' statements are read next (never again where `due_at` is null), and how the
-- last reading went. The release is finalized in the transaction that writes it.
create table orchestrator.image_readings (
  tenant text not null,
  release_id uuid not null,
  due_at timestamptz,
  lease_until timestamptz,
  attempts integer not null default 0,
  last_error text,
  read_at timestamptz,
  -- What was attached and could not be read, in words.
  unread text[] not null default '{}',
  primary key (tenant, release_id),
  foreign key (tenant, release_id) references orchestrator.releases (tenant, id)
);
create index image_readings_due on orchestrator.image_readings (due_at) where due_at is not null;
alter table orchestrator.image_readings enable row level security;
create policy tenant on orchestrator.image_readings to landfall_app using (tenant = kernel.tenant());
create policy reading on orchestrator.image_readings to landfall_system using (true);
grant select, insert, update on orchestrator.image_readings to landfall_app;
grant select (tenant, release_id, due_at, lease_until), update (lease_until)
  on orchestrator.image_readings to landfall_system;

-- What is attached to a component's image, for each purpose that it may serve. `content` and `annotations` are as the
-- registry has them; `statement` is the hash of both, `subject` the index, manifest or platform that it is attached to.
create table orchestrator.image_statements (
  tenant text not null,
  release_id uuid not null,
  component text not null,
  subject text not null,
  statement text not null,
  purpose text not null check (purpose in ('image', 'source', 'build')),
  format text not null check (format in ('bundle', 'signature', 'envelope')),
  content bytea not null,
  annotations jsonb not null,
  predicate_type text not null,
  payload_digest text not null,
  summary text not null,
  state text not null check (state in ('missing', 'signed', 'proven')),
  reason text,
  signer_id uuid,
  signed_by text,
  signed_at timestamptz,
  log_index text,
  read_at timestamptz not null default kernel.now(),
  primary key (tenant, release_id, component, subject, statement, purpose),
  foreign key (tenant, release_id, component)
    references orchestrator.release_components (tenant, release_id, name),
  foreign key (tenant, signer_id) references orchestrator.trusted_signers (tenant, id),
  check ((state = 'missing') = (signer_id is null)),
  check ((state = 'proven') = (log_index is not null)),
  check (state = 'proven' or reason is not null)
);
alter table orchestrator.image_statements enable row level security;
create policy tenant on orchestrator.image_statements to landfall_app using (tenant = kernel.tenant());
grant select, insert, delete on orchestrator.image_statements to landfall_app;

-- Where a release runs now.
create index approved_components_release on orchestrator.approved_components (tenant, release_id);

-- What was finalized before is read too.
insert into orchestrator.image_readings (tenant, release_id, due_at)
select tenant, id, kernel.now() from orchestrator.releases where status in ('finalized', 'ready');
