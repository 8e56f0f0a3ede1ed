-- Why:  an integration or a secret provider that was entered wrongly is corrected, turned off or removed.
-- Read: integrations/integrations.store.ts, secrets/providers.store.ts
-- Lock: both tables against everything, for no longer than it takes to change their definition
alter table orchestrator.integrations add column disabled_at timestamptz;
alter table orchestrator.secret_providers add column disabled_at timestamptz;
grant delete on orchestrator.integrations to landfall_app;
grant delete on orchestrator.secret_providers to landfall_app;
