import { systemCaller, type Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { type TenantId, toId } from '@landfall/kernel/core/ids';
import type { Worker } from '@landfall/kernel/core/worker';
import type { Tx } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import { failpoint } from '@landfall/kernel/system/failpoint';
import { pollingWorker } from '@landfall/kernel/work/polling-worker';
import type { Registries } from '../../catalogue/integrations/registries.ts';
import * as products from '../../catalogue/products/product.ts';
import { resolveAll } from '../../catalogue/releases/component-resolution.ts';
import { finalizeLocked, makeReady } from '../../catalogue/releases/finalization.ts';
import { missingEvidence } from '../../catalogue/releases/missing-evidence.ts';
import { createDraft, replaceComponents } from '../../catalogue/releases/new-release.ts';
import type { ReleaseListener } from '../../catalogue/releases/ports.ts';
import * as releases from '../../catalogue/releases/release.ts';
import { changeRefusal, finalizeRefusal, readyRefusal } from '../../catalogue/releases/release-rules.ts';
import { publishEvent } from '../../shared/publish-event.ts';
import type { DeploymentHistory } from '../promotions/ports.ts';
import { insertRequest, readRequest } from '../promotions/request.ts';
import { requestRefusal } from '../promotions/request-rule.ts';
import { assembleSet, type ImageSet, notesOf } from './candidate-rule.ts';
import * as store from './candidates.store.ts';
import { ACTOR } from './poller.ts';
import * as refused from './refused.store.ts';
import { nextVersion } from './release-version.ts';
import * as sources from './sources.store.ts';

/** Lease of a step in seconds: longer than resolving the images of a release and storing the result. */
const LEASE_SECONDS = 180;
const BATCH = 4;
const POLL_MS = 2_000;
/** Debounce of a set that is gathered again because a tag moved, in seconds. */
const AGAIN_SECONDS = 30;

interface AssemblerDeps extends Pick<Deps, 'database' | 'ids' | 'hints' | 'log'> {
  readonly registries: Registries;
  readonly listener: ReleaseListener;
  readonly history: DeploymentHistory;
}

/** Faults of a registry that may pass. */
const isPassing = ({ code }: Fault): boolean => code.startsWith('INT_') && code !== 'INT_RESOURCE_NOT_FOUND';

/** The worker, as the holder of the authority of these people and clients: they count as authors of what it makes. */
const actingFor = (who: Who, controllers: readonly string[]): Who => ({
  ...who,
  earlierHolders: [...new Set(controllers)].filter((each) => each !== who.clientId).toSorted(),
});

/** Candidate with a release. */
type Drafted = store.ReleaseCandidate & { readonly releaseId: releases.ReleaseId };

const hasRelease = (candidate: store.ReleaseCandidate): candidate is Drafted => candidate.releaseId !== null;

/**
 * Creates the worker that makes releases of gathered sets: a draft, then finalized, then requested for the first steps of
 * the product's path, as far as the policy goes. Each step is one transaction that also moves the candidate.
 */
export const createAssembler = (deps: AssemblerDeps) => {
  const { database, ids, hints, log, registries, listener, history } = deps;

  const refuse = async (
    tx: Tx,
    who: Who,
    candidate: store.ReleaseCandidate,
    { code, message }: Fault,
  ): Promise<void> => {
    const { id, productId, releaseId, policy, setDigest } = candidate;
    await refused.record(tx, who.tenant, {
      id: toId(ids.uuid(), 'RefusedCandidate'),
      productId,
      code,
      reason: message,
      releaseId,
    });
    await store.advance(tx, who.tenant, id, { state: 'refused', policy, setDigest, releaseId, problem: message });
    const product = await products.get(tx, who.tenant, productId);
    await publishEvent(tx, who, 'source.refuse', 'Product', product, { code, reason: message, release: releaseId });
  };

  /** Draft of the version: a new one, or the one of a refused candidate that nobody has used. */
  const draft = async (tx: Tx, who: Who, product: products.Product, set: ImageSet, notes: string) => {
    const unused = await store.findUnusedDraft(tx, who.tenant, product.id);
    const found = unused && (await releases.findLocked(tx, who.tenant, unused.id));
    const taken = await store.listVersions(tx, who.tenant, product.id);
    const others = taken.filter((version) => version !== found?.semver);
    const version = nextVersion({ scheme: set.scheme, images: set.versions, taken: others });
    if (found && found.status === 'draft' && found.semver === version)
      return replaceComponents(tx, who, product, found, set.components);
    return createDraft(tx, who, product, {
      id: toId(ids.uuid(), 'Release'),
      semver: nextVersion({ scheme: set.scheme, images: set.versions, taken }),
      notes,
      components: set.components,
    });
  };

  /** Creates the draft of a set that was gathered. */
  const takeDraft = (who: Who, id: store.CandidateId): Promise<void> =>
    database.write(who.tenant, async (tx) => {
      const candidate = await store.findLocked(tx, who.tenant, id);
      if (candidate?.state !== 'gathering') return;
      const product = await products.find(tx, who.tenant, candidate.productId);
      const all = await sources.listByProducts(tx, who.tenant, [candidate.productId]);
      if (!product || !all.some(({ isEnabled }) => isEnabled)) {
        await store.remove(tx, who.tenant, id);
        return;
      }
      const last = await store.findNewestRelease(tx, who.tenant, product.id);
      const before = last ? await releases.listComponents(tx, who.tenant, [last.id]) : [];
      const set = assembleSet(all, before, product.components);
      if ('reason' in set) {
        await refuse(tx, who, candidate, new Fault('REL_COMPONENT_MISSING', set.reason));
        return;
      }
      // The tags were pushed again, or moved and came back: this set is there already.
      if (await store.hasSet(tx, who.tenant, product.id, set.digest)) {
        await store.remove(tx, who.tenant, id);
        return;
      }
      const release = await draft(tx, actingFor(who, set.controllers), product, set, notesOf(set, before));
      await store.advance(tx, who.tenant, id, {
        state: set.policy === 'draft' ? 'done' : 'drafted',
        policy: set.policy,
        setDigest: set.digest,
        releaseId: release.id,
      });
    });

  const end = async (tx: Tx, who: Who, candidate: Drafted, problem: string | null): Promise<void> => {
    const { id, policy, setDigest, releaseId } = candidate;
    await store.advance(tx, who.tenant, id, { state: 'done', policy, setDigest, releaseId, problem });
  };

  const moveOn = async (tx: Tx, who: Who, { id, policy, setDigest, releaseId }: Drafted): Promise<void> =>
    void (await store.advance(tx, who.tenant, id, { state: 'finalized', policy, setDigest, releaseId }));

  /** The worker, acting for the controllers of a product's sources and of those that its release was created from. */
  const authorOf = async (tx: Tx, who: Who, { productId, createdThrough }: releases.Release): Promise<Who> => {
    const all = await sources.listByProducts(tx, who.tenant, [productId]);
    return actingFor(who, [...(createdThrough ?? []), ...all.flatMap(({ controllers }) => controllers)]);
  };

  /** Resolves the images of a draft. Returns a Fault where one is not what was selected. Uses the network. */
  const resolve = async (who: Who, candidate: Drafted) => {
    const { release, product } = await database.read(who.tenant, async (query) => {
      const found = await releases.get(query, who.tenant, candidate.releaseId);
      const [owner] = await products.listByIds(query, who.tenant, [found.productId]);
      return { release: found, product: owner };
    });
    if (release.status !== 'draft') return { release, resolved: [] };
    try {
      const refusal = finalizeRefusal(release, product);
      if (refusal) return { release, fault: refusal };
      return { release, resolved: await resolveAll(who, registries, release.components) };
    } catch (error) {
      if (error instanceof Fault) return { release, fault: error };
      throw error;
    }
  };

  /** Refuses a set of which a tag moved or vanished, and gathers again. */
  const gatherAgain = async (tx: Tx, who: Who, candidate: Drafted, fault: Fault): Promise<void> => {
    await refuse(tx, who, candidate, fault);
    await sources.hastenProduct(tx, who.tenant, candidate.productId);
    await store.gather(tx, who.tenant, {
      id: toId(ids.uuid(), 'ReleaseCandidate'),
      productId: candidate.productId,
      policy: candidate.policy,
      debounceSeconds: AGAIN_SECONDS,
    });
  };

  /** Handles a draft whose images could not be resolved. */
  const failFinalize = async (tx: Tx, who: Who, candidate: Drafted, fault: Fault): Promise<unknown> => {
    if (isPassing(fault)) return store.postpone(tx, who.tenant, candidate.id, fault.message);
    const hasMoved = fault.code === 'REL_DIGEST_MISMATCH' || fault.code === 'REL_TAG_NOT_FOUND';
    return hasMoved ? gatherAgain(tx, who, candidate, fault) : refuse(tx, who, candidate, fault);
  };

  const takeFinalize = async (who: Who, candidate: Drafted): Promise<void> => {
    const { release: seen, fault, resolved = [] } = await resolve(who, candidate);
    await failpoint('sources.resolved');
    await database.write(who.tenant, async (tx) => {
      const current = await store.findLocked(tx, who.tenant, candidate.id);
      if (current?.state !== 'drafted' || !hasRelease(current)) return;
      const release = await releases.getLocked(tx, who.tenant, current.releaseId);
      // Finalized by a person meanwhile: the policy goes on with it.
      if (changeRefusal(release)) return moveOn(tx, who, current);
      const isOurs = await store.isUntouched(tx, who.tenant, release.id);
      if (!isOurs || release.version !== seen.version)
        return end(tx, who, current, 'The draft was changed by somebody. Finalize it by hand.');
      if (fault) return void (await failFinalize(tx, who, current, fault));
      await finalizeLocked(tx, await authorOf(tx, who, release), listener, release.id, resolved);
      return moveOn(tx, who, current);
    });
  };

  /** Requests a ready release for the first steps of its product's path. Returns the first refusal. */
  const request = async (tx: Tx, who: Who, release: releases.Release): Promise<Fault | undefined> => {
    const stages = await products.listStagesOf(tx, who.tenant, release.productId);
    const author = await authorOf(tx, who, release);
    let refusal: Fault | undefined;
    for (const { environment, step } of stages) {
      if (step.after.length > 0) continue;
      const asked = await readRequest(tx, who, history, release.id, environment.id);
      const fault = requestRefusal(asked);
      if (!fault) await insertRequest(tx, author, toId(ids.uuid(), 'Promotion'), asked, 'New images were pushed.');
      // Somebody requested it already.
      else if (fault.code !== 'PROM_ALREADY_EXISTS') refusal ??= fault;
    }
    return refusal;
  };

  /** Makes a finalized release ready where its evidence allows it. Returns what it waits for, if it does. */
  const prepare = async (tx: Tx, who: Who, release: releases.Release): Promise<Fault | undefined> => {
    if (release.status !== 'finalized') return undefined;
    const stages = await products.listStagesOf(tx, who.tenant, release.productId);
    const waits = readyRefusal(release, missingEvidence(release, stages));
    if (!waits) await makeReady(tx, who, listener, release.id);
    return waits;
  };

  /** Makes a finalized release ready, and requests its first promotions if the policy says so. */
  const takeRequest = (who: Who, { id }: Drafted): Promise<void> =>
    database.write(who.tenant, async (tx) => {
      const candidate = await store.findLocked(tx, who.tenant, id);
      if (candidate?.state !== 'finalized' || !hasRelease(candidate)) return;
      const release = await releases.getLocked(tx, who.tenant, candidate.releaseId);
      const waits = await prepare(tx, who, release);
      const mayRequest = candidate.policy === 'request';
      // Evidence may come at any time, but not for a release that a newer one has replaced.
      if (waits && mayRequest && !(await store.hasNewer(tx, who.tenant, candidate))) {
        await store.postpone(tx, who.tenant, id, waits.message);
        return;
      }
      const refusal = mayRequest && !waits ? await request(tx, who, release) : undefined;
      if (refusal) await refuse(tx, who, candidate, refusal);
      else await end(tx, who, candidate, waits?.message ?? null);
    });

  /** Takes the next steps of a candidate, as far as it goes without waiting. */
  const advance = async (tenant: TenantId, id: store.CandidateId): Promise<void> => {
    const who = systemCaller(tenant, ACTOR, ids.uuid());
    const find = () => database.read(tenant, (query) => store.find(query, tenant, id));
    if ((await find())?.state === 'gathering') {
      await takeDraft(who, id);
      await failpoint('sources.drafted');
    }
    const drafted = await find();
    if (drafted?.state === 'drafted' && hasRelease(drafted)) {
      await takeFinalize(who, drafted);
      await failpoint('sources.finalized');
    }
    const finalized = await find();
    if (finalized?.state === 'finalized' && hasRelease(finalized)) await takeRequest(who, finalized);
  };

  const fail = (tenant: TenantId, id: store.CandidateId, error: unknown): Promise<unknown> => {
    log.error({ err: error, tenant, candidate: id }, 'release candidate');
    const fault = error instanceof Fault ? error : undefined;
    const who = systemCaller(tenant, ACTOR, ids.uuid());
    return database.write(tenant, async (tx) => {
      const candidate = await store.findLocked(tx, tenant, id);
      if (!candidate?.dueAt) return;
      // A rule refused: trying again changes nothing.
      if (fault && fault.status < 500) await refuse(tx, who, candidate, fault);
      else await store.postpone(tx, tenant, id, 'The step failed on our side and is tried again.');
    });
  };

  /** Advances candidates that are due, and returns their number. */
  const turn = async (): Promise<number> => {
    for (let taken = 0; taken < BATCH; taken++) {
      // One at a time: a lease begins when its step does.
      const [due] = await database.system.write((tx) => store.leaseDue(tx, 1, LEASE_SECONDS));
      if (!due) return taken;
      const { tenant, id } = due;
      await advance(tenant, id).catch((error: unknown) =>
        // If this fails too, the lease runs out and the candidate is due again.
        fail(tenant, id, error).catch((err: unknown) => log.error({ err, tenant, candidate: id }, 'release candidate')),
      );
    }
    return BATCH;
  };

  const worker: Worker = pollingWorker({ name: 'orchestrator.releaseAssembler', pollMs: POLL_MS, hints, log, turn });
  return { turn, worker };
};
