import { Fault } from '@landfall/kernel/core/fault';
import type { Id } from '@landfall/kernel/core/ids';

/** A deployment that has ended, as an approver or a launcher is asked about it. */
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

/** Whether somebody who approves or launches the same digests is asked to acknowledge it. */
export const isAdverse = (row: Parameters<typeof outcomeOf>[0]): boolean =>
  ['failed', 'halted', 'rolled_back'].includes(outcomeOf(row));

const summaryOf = (row: EndedDeployment) => ({
  deployment: row.id,
  environment: row.environmentName,
  state: outcomeOf(row),
});

/**
 * Refuses to go past a rollback, a failure or a halt of the same digests that nobody says to have seen. Each is named by
 * its deployment, so that one which came after the page was read is asked about as well.
 */
export const outcomesRefusal = (
  known: readonly EndedDeployment[],
  acknowledged: readonly string[],
): Fault | undefined => {
  const unseen = known.filter((row) => isAdverse(row) && !acknowledged.includes(row.id));
  if (unseen.length === 0) return undefined;
  const said = unseen.map((row) => `${words[outcomeOf(row)]} in ${row.environmentName}`).join(', ');
  return new Fault('RES_CONFLICT', `These digests: ${said}. Look at what happened and acknowledge it to go on.`, {
    unacknowledged: unseen.map(summaryOf),
  });
};

/** For the audit trail: the adverse outcomes that somebody went past knowingly; nothing where there is none. */
export const acknowledgedOf = (known: readonly EndedDeployment[], acknowledged: readonly string[]) => {
  const seen = known.filter((row) => isAdverse(row) && acknowledged.includes(row.id));
  return seen.length === 0 ? {} : { acknowledgedOutcomes: seen.map(summaryOf) };
};
