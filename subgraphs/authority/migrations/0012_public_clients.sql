-- Why:  clients without a secret have refresh tokens that are bound to their key, and pages of other origins call the
--       platform that a client is registered with (rulings 69, 71)
-- Read: clients/clients.store.ts, clients/allowed-origins.store.ts, tokens/families.store.ts
-- Lock: none to speak of; columns with a constant default are added
alter table authority.clients add column allowed_origins text[] not null default '{}';
create index clients_with_origins on authority.clients (id) where active and allowed_origins <> '{}';
-- The thumbprint (RFC 7638) of the only key that may refresh (RFC 9449 5).
alter table authority.token_families add column refresh_jkt text;
