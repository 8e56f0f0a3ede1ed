-- Why:  a refresh token is good for one use, so of all edges that hold a session only one may spend it.
-- Read: session.store.ts leaseRefresh, saveRefreshed
-- Lock: a brief exclusive one on kernel.sessions; the column has no default
alter table kernel.sessions add column refresh_until timestamptz;
