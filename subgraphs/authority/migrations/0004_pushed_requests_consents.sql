-- Why:  authorization requests that are pushed before the browser comes (RFC 9126), and what people have agreed to.
-- Read: sign-in/pushed-requests.store.ts, sign-in/consents.store.ts, sign-in/sessions.store.ts
-- Lock: none; new tables, and an index on a small one

create table authority.pushed_requests (
  tenant text not null,
  -- Of the random part of the request_uri.
  hash bytea not null,
  client_id uuid not null references authority.clients (id),
  parameters jsonb not null,
  expires_at timestamptz not null,
  -- Of the form cookie of the browser that opened it: it is nobody else's from then on.
  browser bytea,
  consumed_at timestamptz,
  primary key (tenant, hash)
);
create unique index pushed_requests_hash on authority.pushed_requests (hash);
create index pushed_requests_expiry on authority.pushed_requests (expires_at);
alter table authority.pushed_requests enable row level security;
create policy tenant on authority.pushed_requests to landfall_app using (tenant = kernel.tenant());
-- A request_uri does not name its tenant, and who answers it may be of another tenant than the client.
create policy authorization_endpoint on authority.pushed_requests to landfall_system using (true);
grant select, insert on authority.pushed_requests to landfall_app;
grant select, update, delete on authority.pushed_requests to landfall_system;

create table authority.consents (
  tenant text not null,
  user_id uuid not null,
  client_id uuid not null references authority.clients (id),
  scopes text[] not null,
  granted_at timestamptz not null default kernel.now(),
  primary key (tenant, user_id, client_id),
  foreign key (tenant, user_id) references authority.users (tenant, id)
);
alter table authority.consents enable row level security;
create policy tenant on authority.consents to landfall_app using (tenant = kernel.tenant());
grant select, insert, update, delete on authority.consents to landfall_app;

-- The request that this sign-in was made for (SHA-256 of its query, in hex): what asked for a new sign-in has had it.
alter table authority.sessions add column opened_for text;
