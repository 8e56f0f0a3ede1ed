-- Why:  statements of registered sources say whether a product is affected by a vulnerability (VEX), and CISA rates
--       vulnerabilities by decision points (SSVC).
-- Read: vex/*.store.ts, feeds/ssvc.store.ts, scans/findings.store.ts
-- Lock: access exclusive on scanner.findings for an added column with a constant default
create table scanner.vex_sources (
  tenant text not null,
  id uuid not null,
  -- Part of the hashed set of documents, so it never changes.
  name text not null check (name ~ '^[a-z0-9]([a-z0-9._-]{0,62}[a-z0-9])?$'),
  -- The greater wins.
  rank integer not null check (rank between 0 and 1000000),
  -- signed: verified where a document is signed by the public key, otherwise untrusted.
  trust text not null check (trust in ('untrusted', 'trusted', 'signed')),
  -- SPKI in PEM, and SHA-256 of the SPKI in DER.
  public_key text,
  key_id text check (key_id ~ '^[0-9a-f]{64}$'),
  created_by text not null,
  created_at timestamptz not null default kernel.now(),
  -- A removed source is in force no more; findings that were frozen name its statements.
  removed_at timestamptz,
  version integer not null default 1,
  primary key (tenant, id),
  check ((trust = 'signed') = (public_key is not null)),
  check ((public_key is null) = (key_id is null))
);
create unique index vex_sources_name on scanner.vex_sources (tenant, name) where removed_at is null;

-- A document; the same bytes from several sources are stored once.
create table scanner.vex_contents (
  tenant text not null,
  digest text not null check (digest ~ '^sha256:[0-9a-f]{64}$'),
  format text not null check (format in ('openvex', 'csaf', 'cyclonedx')),
  -- Date that the document gives itself.
  issued_at timestamptz,
  statement_count integer not null check (statement_count >= 0),
  problem_count integer not null check (problem_count >= 0),
  -- The first entries that could not be read, with path and reason.
  problems jsonb not null check (jsonb_typeof(problems) = 'array'),
  -- Bytes of the document.
  size integer not null check (size > 0),
  -- The document, gzipped.
  bytes bytea not null,
  created_at timestamptz not null default kernel.now(),
  primary key (tenant, digest)
);
alter table scanner.vex_contents alter column bytes set storage external;

create table scanner.vex_statements (
  tenant text not null,
  digest text not null,
  -- Order in the document; several have one index in CSAF.
  n integer not null check (n >= 0),
  -- Position of the entry in the document (proofs 2.1).
  index integer not null check (index >= 0),
  statement jsonb not null check (jsonb_typeof(statement) = 'object'),
  primary key (tenant, digest, n),
  foreign key (tenant, digest) references scanner.vex_contents (tenant, digest) on delete cascade
);

-- Names of the vulnerabilities that statements are about.
create table scanner.vex_statement_ids (
  tenant text not null,
  vulnerability_id text not null,
  digest text not null,
  n integer not null,
  primary key (tenant, vulnerability_id, digest, n),
  foreign key (tenant, digest, n) references scanner.vex_statements (tenant, digest, n) on delete cascade
);
create index vex_statement_ids_statement on scanner.vex_statement_ids (tenant, digest, n);

-- A document of a source.
create table scanner.vex_documents (
  tenant text not null,
  id uuid not null,
  source_id uuid not null,
  digest text not null,
  -- Of the key under which a signature was verified; null without one.
  signer_key_id text check (signer_key_id ~ '^[0-9a-f]{64}$'),
  signature text not null check (signature in ('none', 'unchecked', 'invalid', 'verified')),
  imported_by text not null,
  imported_at timestamptz not null default kernel.now(),
  primary key (tenant, id),
  foreign key (tenant, source_id) references scanner.vex_sources (tenant, id) on delete cascade,
  foreign key (tenant, digest) references scanner.vex_contents (tenant, digest),
  check ((signature = 'verified') = (signer_key_id is not null))
);
create unique index vex_documents_source on scanner.vex_documents (tenant, source_id, digest);
create index vex_documents_digest on scanner.vex_documents (tenant, digest);

-- Sets of documents that manifests pin by their hash: never changed, so that each scan can be replayed (proofs 1).
create table scanner.vex_sets (
  tenant text not null,
  hash text not null check (hash ~ '^sha256:[0-9a-f]{64}$'),
  documents jsonb not null check (jsonb_typeof(documents) = 'array'),
  created_at timestamptz not null default kernel.now(),
  primary key (tenant, hash)
);

do $$
declare name text;
begin
  foreach name in array array['vex_sources', 'vex_contents', 'vex_statements', 'vex_statement_ids', 'vex_documents', 'vex_sets']
  loop
    execute format('alter table scanner.%I enable row level security', name);
    execute format('create policy tenant on scanner.%I to landfall_app using (tenant = kernel.tenant())', name);
    execute format('grant select, insert on scanner.%I to landfall_app', name);
  end loop;
end $$;
grant update on scanner.vex_sources, scanner.vex_documents to landfall_app;

-- Hashes of the component, by which statements name it.
alter table scanner.findings add column component_hashes text[] not null default '{}';

-- CISA's decision points of vulnerabilities, of the installation (`*`).
create table scanner.ssvc_points (
  tenant text not null,
  cve_id text not null,
  exploitation text not null check (exploitation in ('none', 'poc', 'active')),
  automatable text not null check (automatable in ('no', 'yes')),
  technical_impact text not null check (technical_impact in ('partial', 'total')),
  version text,
  -- Date of CISA's container.
  published_at timestamptz,
  primary key (tenant, cve_id)
);
alter table scanner.ssvc_points enable row level security;
create policy tenant on scanner.ssvc_points to landfall_app using (tenant = kernel.tenant());
create policy shared on scanner.ssvc_points for select to landfall_app using (tenant = '*');
create policy import on scanner.ssvc_points to landfall_system using (true);
grant select on scanner.ssvc_points to landfall_app;
grant select, insert, update, delete on scanner.ssvc_points to landfall_system;
