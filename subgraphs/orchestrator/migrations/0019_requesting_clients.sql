-- Why:  the client that holds a person's token requests and approves like that person; the approval rule compares who
--       controls it. Null: not recorded, as before this migration.
-- Read: promotions/promotions.store.ts, promotions/approvals.store.ts, promotions/approval-rule.ts
-- Lock: both tables against everything, for no longer than it takes to change their definition
alter table orchestrator.promotions add column requesting_client_id text;
alter table orchestrator.promotion_approvals add column client_id text;
