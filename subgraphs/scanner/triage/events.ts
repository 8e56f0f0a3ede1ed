import type { Who } from '@landfall/kernel/core/caller';
import type { Tx } from '@landfall/kernel/db/query';
import { eventsOf } from '@landfall/kernel/events/write';
import type { TriageDecision } from './decisions.store.ts';

const record = eventsOf('TriageDecision');

/** Subject and effect of a decision, without members that are null. */
const dataOf = (decision: TriageDecision) => {
  const { vulnerabilityId, scope, componentKey, productId, status, expiresAt } = decision;
  return {
    vulnerabilityId,
    scope,
    status,
    ...(componentKey !== null && { component: componentKey }),
    ...(productId !== null && { productId }),
    ...(expiresAt !== null && { expiresAt: expiresAt.toISOString() }),
  };
};

export const publishDecision = (tx: Tx, who: Who, decision: TriageDecision, supersedes: readonly string[]) => {
  const { reason, justification, impactStatement } = decision;
  return record(tx, who, 'triage.decide', decision, {
    ...dataOf(decision),
    reason,
    ...(justification !== null && { justification }),
    ...(impactStatement !== null && { impactStatement }),
    ...(supersedes.length > 0 && { supersedes }),
  });
};

export const publishRevocation = (tx: Tx, who: Who, decision: TriageDecision) =>
  record(tx, who, 'triage.revoke', decision, { ...dataOf(decision), reason: decision.revocationReason });

export const publishExpiry = (tx: Tx, who: Who, decision: TriageDecision) =>
  record(tx, who, 'triage.expire', decision, { ...dataOf(decision), decidedBy: decision.decidedBy });
