import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { toId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import { failpoint } from '@landfall/kernel/system/failpoint';
import type { Registries } from '../../catalogue/integrations/registries.ts';
import * as products from '../../catalogue/products/product.ts';
import { resolveAll } from '../../catalogue/releases/component-resolution.ts';
import { declarationRefusal, finalizeLocked, makeReady } from '../../catalogue/releases/finalization.ts';
import { missingEvidence } from '../../catalogue/releases/missing-evidence.ts';
import type { ReleaseListener } from '../../catalogue/releases/ports.ts';
import * as releases from '../../catalogue/releases/release.ts';
import { changeRefusal, readyRefusal } from '../../catalogue/releases/release-rules.ts';
import type { DeploymentHistory } from '../promotions/ports.ts';
import { insertRequest, readRequest } from '../promotions/request.ts';
import { requestRefusal } from '../promotions/request-rule.ts';
import { actingFor, type Drafted, hasRelease, postponeCandidate, refuseCandidate } from './candidate.ts';
import * as store from './candidates.store.ts';
import * as sources from './sources.store.ts';

/** Pause before a set is gathered again because a tag moved, in seconds; it doubles each time. */
const AGAIN_SECONDS = 30;
/** Most times in a row that a set is gathered again because a tag moved or vanished. */
const MAX_REPEATS = 5;

interface StepDeps extends Pick<Deps, 'database' | 'ids'> {
  readonly registries: Registries;
  readonly listener: ReleaseListener;
  readonly history: DeploymentHistory;
}

/** Faults of a registry that may pass. */
const isPassing = ({ code }: Fault): boolean => code.startsWith('INT_') && code !== 'INT_RESOURCE_NOT_FOUND';

/** Faults of an image that is no longer what was selected: the next poll says what is there. */
const hasMoved = ({ code }: Fault): boolean =>
  code === 'REL_DIGEST_MISMATCH' || code === 'REL_TAG_NOT_FOUND' || code === 'INT_RESOURCE_NOT_FOUND';

/** Creates the steps of a candidate that has a draft: finalize, and request for the first steps of the product's path. */
export const createReleaseSteps = ({ database, ids, registries, listener, history }: StepDeps) => {
  const refuse = (tx: Tx, caller: Who, candidate: store.ReleaseCandidate, fault: Fault) =>
    refuseCandidate(tx, caller, ids, candidate, fault);

  const end = async (tx: Tx, caller: Who, candidate: Drafted, problem: string | null): Promise<void> => {
    const { id, policy, setDigest, releaseId } = candidate;
    await store.advance(tx, caller.tenant, id, { state: 'done', policy, setDigest, releaseId, problem });
  };

  const moveOn = async (tx: Tx, caller: Who, { id, policy, setDigest, releaseId }: Drafted): Promise<void> =>
    void (await store.advance(tx, caller.tenant, id, { state: 'finalized', policy, setDigest, releaseId }));

  /** Waits for others, who may act at any time, but not for a release that a newer one has replaced. */
  const wait = async (tx: Tx, caller: Who, candidate: Drafted, problem: string): Promise<void> => {
    if (await store.hasNewer(tx, caller.tenant, candidate)) return end(tx, caller, candidate, problem);
    await store.wait(tx, caller.tenant, candidate.id, problem);
  };

  /** The worker, acting for the controllers of a product's sources and of those that its release was created from. */
  const authorOf = async (tx: Tx, caller: Who, { productId, createdThrough }: releases.Release): Promise<Who> => {
    const all = await sources.listByProducts(tx, caller.tenant, [productId]);
    return actingFor(caller, [...(createdThrough ?? []), ...all.flatMap(({ controllers }) => controllers)]);
  };

  /** Resolves the images of a draft. Returns a Fault where one is not what was selected. Uses the network. */
  const resolve = async (caller: Who, candidate: Drafted) => {
    const { release, product } = await database.read(caller.tenant, async (query) => {
      const found = await releases.get(query, caller.tenant, candidate.releaseId);
      const [owner] = await products.listByIds(query, caller.tenant, [found.productId]);
      return { release: found, product: owner };
    });
    if (release.status !== 'draft') return { release, resolved: [] };
    try {
      const refusal = declarationRefusal(release, product);
      if (refusal) return { release, fault: refusal };
      return { release, resolved: await resolveAll(caller, registries, release.components) };
    } catch (error) {
      if (error instanceof Fault) return { release, fault: error };
      throw error;
    }
  };

  /** Refuses a set of which a tag moved or vanished, and gathers again, a few times in a row. */
  const gatherAgain = async (tx: Tx, caller: Who, candidate: Drafted, fault: Fault): Promise<void> => {
    await refuse(tx, caller, candidate, fault);
    if (candidate.repeats >= MAX_REPEATS) return;
    await sources.hastenProduct(tx, caller.tenant, candidate.productId);
    await store.gather(tx, caller.tenant, {
      id: toId(ids.uuid(), 'ReleaseCandidate'),
      productId: candidate.productId,
      policy: candidate.policy,
      debounceSeconds: AGAIN_SECONDS * 2 ** candidate.repeats,
      repeats: candidate.repeats + 1,
    });
  };

  /** Handles a draft whose images could not be resolved. */
  const failFinalize = async (tx: Tx, caller: Who, candidate: Drafted, fault: Fault): Promise<void> => {
    if (isPassing(fault)) return postponeCandidate(tx, caller, ids, candidate, fault);
    return hasMoved(fault) ? gatherAgain(tx, caller, candidate, fault) : refuse(tx, caller, candidate, fault);
  };

  /** Finalizes the draft of a candidate, unless it was changed by somebody else. */
  const finalize = async (caller: Who, candidate: Drafted): Promise<void> => {
    const { release: draft, fault, resolved = [] } = await resolve(caller, candidate);
    await failpoint('sources.resolved');
    await database.write(caller.tenant, async (tx) => {
      // Before the candidate: a change of the product locks in this order.
      const product = await products.findLocked(tx, caller.tenant, candidate.productId);
      const current = await store.findLocked(tx, caller.tenant, candidate.id);
      if (current?.state !== 'drafted' || !hasRelease(current)) return;
      const release = await releases.getLocked(tx, caller.tenant, current.releaseId);
      // A person finalized it meanwhile: the policy continues from there.
      if (changeRefusal(release)) return moveOn(tx, caller, current);
      const isOwn = await store.isUntouched(tx, caller.tenant, release.id);
      if (!isOwn || release.version !== draft.version)
        return end(tx, caller, current, 'The draft was changed by somebody. Finalize it by hand.');
      const refusal = fault ?? declarationRefusal(release, product);
      if (refusal) return failFinalize(tx, caller, current, refusal);
      await finalizeLocked(tx, await authorOf(tx, caller, release), listener, release.id, resolved);
      return moveOn(tx, caller, current);
    });
  };

  /** Requests a ready release for the first steps of its product's path, where it has no promotion yet. */
  const requestFirst = async (tx: Tx, caller: Who, release: releases.Release) => {
    const steps = await products.listPathEntriesOf(tx, caller.tenant, release.productId);
    const author = await authorOf(tx, caller, release);
    const refusals: { readonly environment: string; readonly fault: Fault; readonly isOccupied: boolean }[] = [];
    let isRequested = false;
    for (const { environment, step } of steps) {
      if (step.after.length > 0) continue;
      const request = await readRequest(tx, caller, history, release.id, environment.id);
      // An existing promotion of the release replaces a new one, and its decisions remain.
      const isThere = request.promotions.some((each) => each.targetEnvironmentId === environment.id);
      const fault = isThere ? undefined : requestRefusal(request);
      if (fault) {
        const isOccupied = request.occupant !== undefined && fault.code === 'PROM_ALREADY_EXISTS';
        refusals.push({ environment: environment.name, fault, isOccupied });
        continue;
      }
      if (!isThere) await insertRequest(tx, author, toId(ids.uuid(), 'Promotion'), request, 'New images were pushed.');
      isRequested = true;
    }
    return { refusals, isRequested };
  };

  /** Makes a finalized release ready where its evidence allows it. Returns what it waits for, if it does. */
  const prepare = async (tx: Tx, caller: Who, release: releases.Release): Promise<Fault | undefined> => {
    if (release.status !== 'finalized') return undefined;
    const steps = await products.listPathEntriesOf(tx, caller.tenant, release.productId);
    const waits = readyRefusal(release, missingEvidence(release, steps));
    if (!waits) await makeReady(tx, caller, listener, release.id);
    return waits;
  };

  /** Makes a finalized release ready, and requests its first promotions if the policy says so. */
  const request = (caller: Who, { id }: Drafted): Promise<void> =>
    database.write(caller.tenant, async (tx) => {
      const candidate = await store.findLocked(tx, caller.tenant, id);
      if (candidate?.state !== 'finalized' || !hasRelease(candidate)) return;
      const release = await releases.getLocked(tx, caller.tenant, candidate.releaseId);
      const waits = await prepare(tx, caller, release);
      if (candidate.policy !== 'request') return end(tx, caller, candidate, waits?.message ?? null);
      if (waits) return wait(tx, caller, candidate, waits.message);
      const { refusals, isRequested } = await requestFirst(tx, caller, release);
      const [first] = refusals;
      const canWait = refusals.some(({ isOccupied }) => isOccupied);
      if (first && !isRequested && !canWait) return refuse(tx, caller, candidate, first.fault);
      const notRequested = refusals.map(
        ({ environment, fault }) => `Not requested for ${environment}: ${fault.message}`,
      );
      const problem = notRequested.join(' ') || null;
      return problem !== null && canWait ? wait(tx, caller, candidate, problem) : end(tx, caller, candidate, problem);
    });

  return { finalize, request };
};
