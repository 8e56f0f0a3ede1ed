-- Why:  an environment says which evidence it expects, by whom it is signed and how old it may be.
-- Read: catalogue/environments/environments.store.ts
-- Lock: orchestrator.environments for a moment
alter table orchestrator.environments
  -- Requirements besides the kinds in required_evidence.
  add column evidence_policy jsonb not null default '[]' check (jsonb_typeof(evidence_policy) = 'array');
