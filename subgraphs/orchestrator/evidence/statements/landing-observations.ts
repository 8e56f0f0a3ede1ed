import * as attestations from '@landfall/attestation/statements/attestations.store';
import { systemCaller, type Who } from '@landfall/kernel/core/caller';
import { toId } from '@landfall/kernel/core/ids';
import type { Worker } from '@landfall/kernel/core/worker';
import type { Tx } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import { pollingWorker } from '@landfall/kernel/work/polling-worker';
import * as deployments from '../../running/deployments/deployment.ts';
import type { StatementOutbox } from './attestable-events.ts';
import * as store from './landing-observations.store.ts';
import type { ObservedTarget } from './statements.ts';

const BATCH = 32;
const LEASE_SECONDS = 30;
const POLL_MS = 2_000;

const observedTargetsOf = (observationRows: readonly store.ComponentObservation[]): ObservedTarget[] =>
  observationRows.flatMap(({ isSeen: isAcknowledged, observedDigest, at, ...observation }) =>
    isAcknowledged && observedDigest !== null && at !== null ? [{ ...observation, observedDigest, at }] : [],
  );

/** Creates the worker that states a landing once every target's agent observed the landed digests. */
export const createLandingObservations = (
  { database, ids, log }: Pick<Deps, 'database' | 'ids' | 'log'>,
  outbox: Pick<StatementOutbox, 'observed'>,
) => {
  /** Checks one landing and returns whether its checks are over. */
  const look = async (tx: Tx, caller: Who, deploymentId: string): Promise<boolean> => {
    const deployment = await deployments.find(tx, caller.tenant, toId(deploymentId, 'Deployment'));
    const [current] = deployment ? await deployments.listCurrentIn(tx, caller.tenant, [deployment]) : [];
    if (!deployment || current?.id !== deployment.id) return true;
    const observationRows = await store.listComponents(tx, caller.tenant, deployment.id);
    const observations = observedTargetsOf(observationRows);
    if (observations.length === 0 || observations.length < observationRows.length) return false;
    await outbox.observed(tx, caller, deployment, observations);
    return true;
  };

  const recordOne = async ({ tenant, id }: store.DueObservation): Promise<void> => {
    const caller = systemCaller(tenant, 'orchestrator.observing', ids.uuid());
    await database.write(tenant, async (tx) => {
      const landing = await attestations.find(tx, tenant, id);
      const isOver = !landing || (await look(tx, caller, landing.subjectId));
      await (isOver ? store.end(tx, tenant, id) : store.postpone(tx, tenant, id));
    });
  };

  /** Checks the landings that are due and returns their number. */
  const turn = async (): Promise<number> => {
    const due = await database.system.write((tx) => store.leaseDue(tx, BATCH, LEASE_SECONDS));
    for (const each of await Promise.allSettled(due.map(recordOne)))
      if (each.status === 'rejected') log.error({ err: each.reason }, 'observing');
    return due.length;
  };

  const worker: Worker = pollingWorker({ name: 'orchestrator.observing', pollMs: POLL_MS, log, turn });
  return { turn, worker };
};
