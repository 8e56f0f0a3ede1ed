import type { Orchestrator } from '@landfall/orchestrator';

type Policy = Awaited<ReturnType<Orchestrator['policies']['listEffective']>>['items'][number];

export const policyView = ({ policyId, name, kind, enabled, environment, expiresAt, rule, source }: Policy) => ({
  policyId,
  name,
  kind,
  enabled,
  environment: environment && { id: environment.id, name: environment.name },
  expiresAt: expiresAt?.toISOString() ?? null,
  rule,
  source,
});
