-- Why:  a token may have passed through several clients before it requests, approves, makes a release or finalizes it;
--       the approval rule compares the controllers of all of them. The client that held it at last comes first. Null: not
--       recorded.
-- Read: promotions/promotions.store.ts, promotions/approvals.store.ts, releases/releases.store.ts, promotions/party.ts
-- Lock: three tables against everything; two of them are rewritten
alter table orchestrator.promotions
  alter column requesting_client_id type text[]
    using case when requesting_client_id is not null then array[requesting_client_id] end;
alter table orchestrator.promotions rename column requesting_client_id to requested_through;
alter table orchestrator.promotion_approvals
  alter column client_id type text[] using case when client_id is not null then array[client_id] end;
alter table orchestrator.promotion_approvals rename column client_id to given_through;
alter table orchestrator.releases add column created_through text[], add column finalized_through text[];
