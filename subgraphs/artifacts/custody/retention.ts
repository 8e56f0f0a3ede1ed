import type { Who } from '@landfall/kernel/core/caller';
import { Fault, invalid } from '@landfall/kernel/core/fault';
import { exampleId, idOf, type TenantId, toId } from '@landfall/kernel/core/ids';
import { envelopeJson, signEnvelope } from '@landfall/kernel/crypto/dsse';
import { canonicalJson } from '@landfall/kernel/crypto/jcs';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { eventsOf } from '@landfall/kernel/events/write';
import type { Deps, DocumentSeal, ProductDirectory } from '@landfall/kernel/module';
import { freeText, instant } from '@landfall/kernel/operation/input';
import { pageFields, readPage } from '@landfall/kernel/operation/page';
import Type from 'typebox';
import { EVIDENCE_ADMIN, EVIDENCE_HOLD, EVIDENCE_READ } from '../shared/scopes.ts';
import * as store from './artifact-custody.store.ts';
import * as disposals from './disposals.store.ts';
import * as holds from './holds.store.ts';
import * as protection from './object-protection.store.ts';

const record = eventsOf('Artifact');

/** Artifacts of one run; the next run goes on. */
const BATCH = 100;
/** Pages of one list. */
const MOST_PAGES = 200;
/** Digests of one look-up. */
const LOOKED_UP = 10_000;
const PAYLOAD_TYPE = 'application/vnd.landfall.artifact-disposal+json';
const COST = 100;

/** Reasons that keep an artifact whose retention has ended. */
type Keeper = 'hold' | 'release' | 'deployment' | 'scan' | 'bundle' | 'image_of_release' | 'unlisted_subjects';

/** Artifact with what keeps it once its retention has ended: an artifact that nothing keeps is disposed of. */
export interface RetentionDecision extends store.Candidate {
  readonly keptBy: readonly Keeper[];
}

interface RetentionDeps extends Pick<Deps, 'operation' | 'clock' | 'ids' | 'database'> {
  readonly products: ProductDirectory;
  readonly documentSeal: Pick<DocumentSeal, 'signer'>;
  /** Setting `Artifacts:RetentionDays`. */
  readonly retentionDays: number;
}

const KEEPERS: Readonly<Record<string, Keeper>> = { Release: 'release', Deployment: 'deployment', Scan: 'scan' };

const noArtifact = (id: string) => new Fault('RES_NOT_FOUND', `There is no artifact ${id}.`, { id });

/** Creates the operations on the retention of artifacts. */
export const createRetention = (deps: RetentionDeps) => {
  const { operation, clock, ids, database, products, documentSeal, retentionDays } = deps;
  const rule = `Artifacts:RetentionDays=${retentionDays}`;

  /** Images among these digests that a release has. */
  const releasedAmong = async (query: Query, tenant: TenantId, digests: readonly string[]) => {
    const released = new Set<string>();
    for (let at = 0; at < digests.length; at += LOOKED_UP)
      for (const { digest } of await products.productsOfImages(query, tenant, digests.slice(at, at + LOOKED_UP)))
        released.add(digest);
    return released;
  };

  /** Decides about artifacts whose retention has ended: the dry run and the run are this. */
  const decide = async (
    query: Query,
    tenant: TenantId,
    given: {
      readonly ids?: readonly string[];
      readonly after?: store.Candidate | undefined;
      readonly isAny?: boolean;
    } = {},
  ): Promise<readonly RetentionDecision[]> => {
    const ended = await store.listCandidates(query, tenant, {
      retentionDays,
      limit: given.ids?.length ?? BATCH,
      ...given,
    });
    const released = await releasedAmong(query, tenant, [...new Set(ended.flatMap(({ digests }) => digests))]);
    return ended.map((artifact) => ({
      ...artifact,
      keptBy: [
        ...(artifact.isHeld ? (['hold'] as const) : []),
        ...artifact.referenceKinds.flatMap((kind) => KEEPERS[kind] ?? []),
        ...(artifact.bundles > 0 ? (['bundle'] as const) : []),
        ...(artifact.isCut ? (['unlisted_subjects'] as const) : []),
        ...(artifact.digests.some((digest) => released.has(digest)) ? (['image_of_release'] as const) : []),
      ],
    }));
  };

  /** Lists decisions past the artifacts that are kept, so that many of them do not end the retention of all others. */
  const listDecisions = async (query: Query, tenant: TenantId): Promise<readonly RetentionDecision[]> => {
    const [disposed, kept]: [RetentionDecision[], RetentionDecision[]] = [[], []];
    let after: store.Candidate | undefined;
    for (let pages = 0; pages < MOST_PAGES && disposed.length < BATCH; pages++) {
      const page = await decide(query, tenant, { after });
      for (const decision of page) (decision.keptBy.length === 0 ? disposed : kept).push(decision);
      after = page.at(-1);
      if (page.length < BATCH) break;
    }
    return [...disposed, ...kept].slice(0, BATCH);
  };

  /** Signs the record of a disposal. */
  const sign = async (who: Who, decision: RetentionDecision) => {
    const { artifactId, storageKey, bomRef, serialNumber, sha256, sizeBytes, retainedUntil } = decision;
    const fields = {
      id: toId(ids.uuid(), 'EvidenceDisposal'),
      ...{ artifactId, bomRef, serialNumber, sha256, sizeBytes, retainedUntil, rule },
      disposedBy: who.subject,
      disposedAt: clock.now(),
    };
    const payload = canonicalJson({
      '@type': 'artifact-disposal/v1',
      tenant: who.tenant,
      ...fields,
      retainedUntil: retainedUntil.toISOString(),
      disposedAt: fields.disposedAt.toISOString(),
    });
    const envelope = await signEnvelope(await documentSeal.signer(), PAYLOAD_TYPE, Buffer.from(payload));
    return { ...fields, storageKey, envelope: { ...envelopeJson(envelope) } };
  };

  type Signed = Awaited<ReturnType<typeof sign>>;

  /** Disposes of what is still to be disposed of under the lock of its row. */
  const dispose = async (who: Who, tx: Tx, signed: readonly Signed[]): Promise<readonly Signed[]> => {
    const wanted = signed.map(({ artifactId }) => artifactId);
    await store.lockAll(tx, who.tenant, wanted);
    const still = new Set(
      (await decide(tx, who.tenant, { ids: wanted })).flatMap(({ artifactId, keptBy }) =>
        keptBy.length === 0 ? [artifactId] : [],
      ),
    );
    const disposed = signed.filter(({ artifactId }) => still.has(artifactId));
    for (const { storageKey, ...row } of disposed) {
      await disposals.insert(tx, who.tenant, row);
      await disposals.insertObject(tx, who.tenant, { storageKey, artifactId: row.artifactId });
      await holds.removeEnded(tx, who.tenant, row.artifactId);
      await store.remove(tx, who.tenant, row.artifactId);
      const data = { disposalId: row.id, sha256: row.sha256, rule };
      await record(tx, who, 'artifact.dispose', { id: row.artifactId }, data);
    }
    return disposed;
  };

  return {
    /** Decisions about artifacts whose retention has ended, first those that a run disposes of; nothing is deleted. */
    plan: operation({
      name: 'retention.plan',
      kind: 'read',
      cost: COST,
      scope: EVIDENCE_READ,
      input: Type.Object({}),
      run: async ({ tenant }, _input, query) => listDecisions(query, tenant),
    }),

    /** Ends of the retention of some artifacts, and what keeps them after, for loaders. */
    listOfArtifacts: operation({
      name: 'retention.listOfArtifacts',
      kind: 'read',
      scope: EVIDENCE_READ,
      input: Type.Object({ ids: Type.Array(idOf('Artifact'), { maxItems: 1_000 }) }),
      example: { ids: [exampleId('Artifact')] },
      run: ({ tenant }, { ids: wanted }, query) => decide(query, tenant, { ids: wanted, isAny: true }),
    }),

    /** Disposes of up to a hundred artifacts, each with a signed record; the sweeper then removes their bytes. */
    run: operation({
      name: 'retention.run',
      kind: 'write',
      isBeat: true,
      cost: COST,
      scope: EVIDENCE_ADMIN,
      input: Type.Object({}),
      raises: ['SYS_VAULT_ERROR'],
      async prepare(who) {
        const decisions = await database.read(who.tenant, (query) => listDecisions(query, who.tenant));
        const ended = decisions.filter(({ keptBy }) => keptBy.length === 0);
        const signed: Signed[] = [];
        for (const decision of ended) signed.push(await sign(who, decision));
        return signed;
      },
      run: async (who, _input, tx, signed) => {
        const disposed = await dispose(who, tx, signed);
        return { disposedCount: disposed.length };
      },
    }),

    /** Postpones the end of an artifact's retention; it never comes nearer. */
    extend: operation({
      name: 'artifact.retain',
      kind: 'write',
      scope: EVIDENCE_HOLD,
      input: Type.Object({ id: idOf('Artifact'), until: instant, reason: freeText(1_000, 10) }),
      raises: ['RES_NOT_FOUND'],
      example: { id: exampleId('Artifact'), until: '2096-01-01T00:00:00Z', reason: 'A contract asks for it.' },
      async run(who, { id, until, reason }, tx) {
        const { createdAt, retainUntil, isDeleted } = await store.getLocked(tx, who.tenant, id);
        if (isDeleted) throw noArtifact(id);
        const now = retainUntil ?? new Date(createdAt.getTime() + retentionDays * 86_400_000);
        if (new Date(until) < now)
          throw invalid([
            { field: 'until', message: `must not be before ${now.toISOString()}`, code: 'VAL_INVALID_VALUE' },
          ]);
        const kept = await store.update(tx, who.tenant, id, { retainUntil: new Date(until) });
        await protection.markDue(tx, who.tenant, id);
        await record(tx, who, 'artifact.retain', { id, version: kept.version }, { until, reason });
        return kept;
      },
    }),

    /** Takes an artifact out of lists; its bytes stay until its retention has ended. */
    remove: operation({
      name: 'artifact.delete',
      kind: 'write',
      scope: EVIDENCE_ADMIN,
      input: Type.Object({ id: idOf('Artifact'), reason: freeText(1_000, 10) }),
      raises: ['RES_NOT_FOUND', 'RES_CONFLICT'],
      example: { id: exampleId('Artifact'), reason: 'It was put by mistake.' },
      async run(who, { id, reason }, tx) {
        const { isDeleted } = await store.getLocked(tx, who.tenant, id);
        if (isDeleted) throw noArtifact(id);
        if (await holds.isHeld(tx, who.tenant, id))
          throw new Fault('RES_CONFLICT', `The artifact ${id} is under a hold. End the hold first.`, { id });
        const removed = await store.update(tx, who.tenant, id, {
          isDeleted: true,
          deletedAt: sql`kernel.now()`,
          deletedBy: who.subject,
        });
        await record(tx, who, 'artifact.delete', { id, version: removed.version }, { reason });
        return { id };
      },
    }),

    /** Signed records of what was disposed of, the newest first. */
    disposals: operation({
      name: 'evidenceDisposal.list',
      kind: 'read',
      scope: EVIDENCE_READ,
      input: Type.Object(pageFields),
      run: ({ tenant }, page, query) => readPage(page, (bounds) => disposals.listPage(query, tenant, bounds)),
    }),
  };
};
