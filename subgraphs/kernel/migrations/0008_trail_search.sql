-- Why:  whoever looks into the audit trail asks for a type, an actor, a time or a correlation id, of which a long trail may
--       hold few: without these every such question reads all of the tenant's events (measured: half a microsecond a row).
-- Read: subgraphs/authority/audit/audit.store.ts
-- Lock: kernel.events against writes, while the four are built
create index events_type on kernel.events (tenant, type, xid, id);
create index events_actor on kernel.events (tenant, actor, xid, id);
create index events_time on kernel.events (tenant, at);
create index events_correlation on kernel.events (tenant, correlation_id);
