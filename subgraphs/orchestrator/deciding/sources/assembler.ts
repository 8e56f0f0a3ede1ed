import { systemCaller } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { Deps } from '@landfall/kernel/module';
import { failpoint } from '@landfall/kernel/system/failpoint';
import type { Registries } from '../../catalogue/integrations/registries.ts';
import * as products from '../../catalogue/products/product.ts';
import type { ReleaseListener } from '../../catalogue/releases/ports.ts';
import type { DeploymentHistory } from '../promotions/ports.ts';
import { hasRelease, postponeCandidate, refuseCandidate } from './candidate.ts';
import * as store from './candidates.store.ts';
import { createDraftStep } from './draft-step.ts';
import { ACTOR } from './poller.ts';
import { createReleaseSteps } from './release-steps.ts';
import { createTenantPool, pooledWorker } from './tenant-pool.ts';

/** Lease of a step in seconds: longer than resolving the images of a release and storing the result. */
const LEASE_SECONDS = 180;
/** Candidates of one tenant that are advanced at once. */
const BATCH = 4;
/** Candidates that are advanced at once: each may wait for registries. */
const MAX_ADVANCING = 16;
const POLL_MS = 2_000;

interface AssemblerDeps extends Pick<Deps, 'database' | 'ids' | 'hints' | 'log'> {
  readonly registries: Registries;
  readonly listener: ReleaseListener;
  readonly history: DeploymentHistory;
}

/**
 * Creates the worker that creates releases of gathered sets: a draft, then finalized, then requested for the first
 * steps of the product's path, as far as the policy allows. Each step is one transaction that also advances the
 * candidate.
 */
export const createAssembler = (deps: AssemblerDeps) => {
  const { database, ids, hints, log } = deps;
  const draft = createDraftStep(deps);
  const steps = createReleaseSteps(deps);

  /** Takes the next steps of a candidate, as far as it goes without waiting. */
  const advance = async (tenant: TenantId, id: store.CandidateId): Promise<void> => {
    const caller = systemCaller(tenant, ACTOR, ids.uuid());
    const find = () => database.read(tenant, (query) => store.find(query, tenant, id));
    const gathered = await find();
    if (gathered?.state === 'gathering') {
      await draft(caller, gathered);
      await failpoint('sources.drafted');
    }
    const drafted = await find();
    if (drafted?.state === 'drafted' && hasRelease(drafted)) {
      await steps.finalize(caller, drafted);
      await failpoint('sources.finalized');
    }
    const finalized = await find();
    if (finalized?.state === 'finalized' && hasRelease(finalized)) await steps.request(caller, finalized);
  };

  const fail = async (tenant: TenantId, id: store.CandidateId, error: unknown): Promise<void> => {
    log.error({ err: error, tenant, candidate: id }, 'release candidate');
    const caller = systemCaller(tenant, ACTOR, ids.uuid());
    const fault = error instanceof Fault ? error : new Fault('SYS_INTERNAL_ERROR', 'The step failed on our side.');
    // Another release took the version meanwhile, which the next attempt sees.
    const mayPass = fault.status >= 500 || fault.code === 'RES_ALREADY_EXISTS';
    await database.write(tenant, async (tx) => {
      const current = await store.find(tx, tenant, id);
      // Before the candidate: a change of the product locks in this order.
      if (current) await products.findLocked(tx, tenant, current.productId);
      const candidate = await store.findLocked(tx, tenant, id);
      if (!candidate?.dueAt) return;
      const end = mayPass ? postponeCandidate : refuseCandidate;
      await end(tx, caller, ids, candidate, fault);
    });
  };

  const pool = createTenantPool({ slots: MAX_ADVANCING, share: BATCH });

  /** Begins to advance candidates that are due, and returns their number. */
  const start = async (): Promise<number> => {
    const limit = pool.room();
    if (limit === 0) return 0;
    const due = await database.system.write((tx) => store.leaseDue(tx, limit, LEASE_SECONDS, pool.busy()));
    for (const { tenant, id } of due)
      pool.run(tenant, 1, () =>
        advance(tenant, id)
          .catch((error: unknown) => fail(tenant, id, error))
          // The lease runs out and the candidate is due again.
          .catch((err: unknown) => log.error({ err, tenant, candidate: id }, 'release candidate')),
      );
    return due.length;
  };

  return pooledWorker({
    name: 'orchestrator.releaseAssembler',
    pollMs: POLL_MS,
    hints: hints.of('ReleaseSource', 'Product', 'Release'),
    log,
    pool,
    start,
  });
};
