-- Why:  whoever is invited or reset chooses a password by a link that works once.
-- Read: users/links.store.ts by the hash of the link's token, which does not name its tenant
-- Lock: none; a new table
create table authority.account_links (
  tenant text not null,
  -- SHA-256 of the token in the link, which only the person has.
  hash bytea not null,
  user_id uuid not null,
  purpose text not null check (purpose in ('invitation', 'reset')),
  created_at timestamptz not null default kernel.now(),
  expires_at timestamptz not null,
  consumed_at timestamptz,
  primary key (tenant, hash),
  foreign key (tenant, user_id) references authority.users (tenant, id)
);
create index account_links_hash on authority.account_links (hash);
create index account_links_user on authority.account_links (tenant, user_id);
create index account_links_expiry on authority.account_links (expires_at);
alter table authority.account_links enable row level security;
create policy tenant on authority.account_links to landfall_app using (tenant = kernel.tenant());
create policy account_link on authority.account_links to landfall_system using (true);
grant select, insert, update, delete on authority.account_links to landfall_app;
grant select, delete on authority.account_links to landfall_system;
