import { Fault } from '@landfall/kernel/core/fault';
import type { Id } from '@landfall/kernel/core/ids';

/** Ended deployment that an approver or launcher may have to acknowledge. */
export interface EndedDeployment {
  readonly id: Id<'Deployment'>;
  readonly environmentName: string;
  readonly state: string;
  readonly landing: string | null;
  readonly anatomy: { readonly reason: string } | null;
}

type OutcomeState = 'landed' | 'unverified' | 'failed' | 'halted' | 'rolled_back';

const words: Readonly<Record<OutcomeState, string>> = {
  landed: 'landed',
  unverified: 'not verified',
  failed: 'failed',
  halted: 'halted',
  rolled_back: 'rolled back',
};

/** Outcome of a digest set in an ended deployment. */
export const outcomeOf = ({
  state,
  landing,
  anatomy,
}: Pick<EndedDeployment, 'state' | 'landing' | 'anatomy'>): OutcomeState => {
  if (state === 'failed') return anatomy?.reason === 'gate-halted' ? 'halted' : 'failed';
  if (state !== 'completed') return 'rolled_back';
  return landing === 'verified' ? 'landed' : 'unverified';
};

/** Checks whether an outcome is adverse: approving or launching the same digests then requires an acknowledgement. */
export const isAdverse = (row: Parameters<typeof outcomeOf>[0]): boolean =>
  ['failed', 'halted', 'rolled_back'].includes(outcomeOf(row));

const summaryOf = (row: EndedDeployment) => ({
  deployment: row.id,
  environment: row.environmentName,
  state: outcomeOf(row),
});

/** Returns a refusal while a rollback, failure or halt of the same digests is not acknowledged. */
export const outcomesRefusal = (
  known: readonly EndedDeployment[],
  acknowledged: readonly string[],
): Fault | undefined => {
  const unacknowledged = known.filter((row) => isAdverse(row) && !acknowledged.includes(row.id));
  if (unacknowledged.length === 0) return undefined;
  const outcomes = unacknowledged.map((row) => `${words[outcomeOf(row)]} in ${row.environmentName}`).join(', ');
  return new Fault('RES_CONFLICT', `These digests: ${outcomes}. Look at what happened and acknowledge it to go on.`, {
    unacknowledged: unacknowledged.map(summaryOf),
  });
};

/** Adverse outcomes that the caller acknowledged, for the audit event; undefined if there are none. */
export const acknowledgedOutcomeDetails = (known: readonly EndedDeployment[], acknowledged: readonly string[]) => {
  const acknowledgedRows = known.filter((row) => isAdverse(row) && acknowledged.includes(row.id));
  return acknowledgedRows.length === 0 ? {} : { acknowledgedOutcomes: acknowledgedRows.map(summaryOf) };
};
