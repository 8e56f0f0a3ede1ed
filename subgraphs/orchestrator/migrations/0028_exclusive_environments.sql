-- Why:  an environment whose products share more than their name, such as one database, takes one of them at a time: its
--       policy locks the whole environment, not the product in it.
-- Read: catalogue/environments/environments.store.ts; deciding/promotions/request-rule.ts, running/launch/launch.ts
-- Lock: environments against everything, for no longer than a catalogue change
alter table orchestrator.environments add column is_exclusive boolean not null default false;
