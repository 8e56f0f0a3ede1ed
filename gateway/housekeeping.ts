import type { Worker } from '@landfall/kernel/core/worker';
import type { Query } from '@landfall/kernel/db/query';
import { prune as pruneDecisions } from '@landfall/kernel/egress/decisions.store';
import { pruneNotices } from '@landfall/kernel/events/read';
import { prune as pruneDenylist } from '@landfall/kernel/identity/denylist';
import { prune as pruneProofs } from '@landfall/kernel/identity/dpop.store';
import type { Deps } from '@landfall/kernel/module';
import { prune as pruneIdempotency } from '@landfall/kernel/operation/idempotency';
import { createSchedule, type Duty } from '@landfall/kernel/work/schedule';
import { prune as pruneSessions } from './session/session.store.ts';

const prunes: Readonly<Record<string, (query: Query) => Promise<number>>> = {
  dpopProofs: pruneProofs,
  egressDecisions: pruneDecisions,
  idempotency: pruneIdempotency,
  notices: pruneNotices,
  revokedTokens: pruneDenylist,
  sessions: pruneSessions,
};

/** Creates the hourly job that deletes expired rows of the kernel's tables. */
const housekeeping = ({ database, log }: Pick<Deps, 'database' | 'log'>): Duty => ({
  name: 'kernel.housekeeping',
  pattern: '17 * * * *',
  async run() {
    const pruned: Record<string, number> = {};
    for (const [name, prune] of Object.entries(prunes)) pruned[name] = await database.system.write(prune);
    log.info({ pruned }, 'housekeeping');
  },
});

export const createHousekeeping = (deps: Pick<Deps, 'database' | 'log'>): Worker =>
  createSchedule(deps, 'kernel.housekeeping', [housekeeping(deps)]);
