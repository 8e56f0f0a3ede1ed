import { systemCaller, type Who } from '@landfall/kernel/core/caller';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { Worker } from '@landfall/kernel/core/worker';
import type { Tx } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import { MAX_ATTEMPTS, OFFLINE_SECONDS, STALE_SECONDS } from '../../catalogue/agents/liveness.ts';
import { publishEvent } from '../../shared/publish-event.ts';
import { listUnpublished, publishLogGrowth, takeUnpublished } from '../log/logs.ts';
import { markHealthUnknown } from '../observations/observations.ts';
import { listLostTasks as listLost, type Tasks } from '../tasks/tasks.ts';
import * as store from './agents.store.ts';

const TURN_MS = 2_000;
/** Time after start before silence counts, in milliseconds. An agent that lost its server returns within 25 s. */
const HEARING_MS = OFFLINE_SECONDS * 1_000;

interface WatchDeps extends Pick<Deps, 'database' | 'ids' | 'log' | 'clock'> {
  readonly tasks: Pick<Tasks, 'expire'>;
}

/** Creates the watch for silent agents, tasks that no agent will finish, and logs with unpublished lines. */
export const createWatch = ({ database, ids, log, clock, tasks }: WatchDeps) => {
  /** Settles one row and logs a failure, so that other tenants' rows are settled nevertheless. */
  const settle = async (tenant: TenantId, id: string, work: (tx: Tx, caller: Who) => Promise<void>): Promise<void> => {
    const caller = systemCaller(tenant, 'orchestrator.watch', ids.uuid());
    await database
      .write(tenant, (tx) => work(tx, caller))
      .catch((error: unknown) => log.error({ err: error, tenant, id }, 'agent watch'));
  };

  /**
   * Publishes the growth of logs whose last lines were not published: those written within a second of the last notice.
   */
  const publishLogGrowths = async (): Promise<void> => {
    for (const location of await database.system.read(listUnpublished))
      await settle(location.tenant, location.deploymentId, async (tx, caller) => {
        if (await takeUnpublished(tx, location.tenant, location)) await publishLogGrowth(tx, caller, location);
      });
  };

  const turn = async (): Promise<void> => {
    const silent = await database.system.read((query) => store.listSilent(query, STALE_SECONDS, OFFLINE_SECONDS));
    for (const { tenant, id } of silent)
      await settle(tenant, id, async (tx, caller) => {
        const agent = await store.markSilent(tx, tenant, id, STALE_SECONDS, OFFLINE_SECONDS);
        if (!agent) return;
        await publishEvent(tx, caller, `agent.${agent.state}`, 'Agent', agent);
        if (agent.state === 'offline') await markHealthUnknown(tx, caller, id);
      });
    const lost = await database.system.read((query) => listLost(query, MAX_ATTEMPTS));
    for (const { tenant, id } of lost) await settle(tenant, id, (tx, caller) => tasks.expire(tx, caller, id));
    await publishLogGrowths();
  };

  const worker: Worker = {
    name: 'orchestrator.watch',
    start: () => {
      // A process that has just started, or was cut off from the database, has missed heartbeats itself: silence counts
      // only after every live agent could have sent one.
      const now = (): number => clock.now().getTime();
      let graceUntil = now() + HEARING_MS;
      const look = (): Promise<unknown> => (now() < graceUntil ? publishLogGrowths() : turn());
      let running: Promise<unknown> = Promise.resolve();
      const timer = setInterval(() => {
        running = running.then(look).catch((error: unknown) => {
          graceUntil = now() + HEARING_MS;
          log.error({ err: error }, 'agent watch');
        });
      }, TURN_MS);
      return {
        async [Symbol.asyncDispose]() {
          clearInterval(timer);
          await running;
        },
      };
    },
  };
  return { turn, worker };
};
