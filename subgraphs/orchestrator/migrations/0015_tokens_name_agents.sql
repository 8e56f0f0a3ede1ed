-- Why:  a registration token is good for one agent's name, so that no other token takes an agent over.
-- Read: agents/registration-tokens.store.ts
-- Lock: access exclusive on registration_tokens, for the moment that a column without a default takes
-- Null: issued before this; such a token is refused, and lives for a day at most.
alter table orchestrator.registration_tokens add column agent_name text;
