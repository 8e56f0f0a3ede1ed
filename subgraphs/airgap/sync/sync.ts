import type { Who } from '@landfall/kernel/core/caller';
import { Fault, invalid } from '@landfall/kernel/core/fault';
import { exampleId, idOf, type TenantId } from '@landfall/kernel/core/ids';
import { parseJson } from '@landfall/kernel/core/json';
import type { Signer } from '@landfall/kernel/crypto/signing/signer';
import { sql } from '@landfall/kernel/db/sql';
import { eventsOf } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import { digest, freeText, oneOf, patterned } from '@landfall/kernel/operation/input';
import { pageFields, readPage } from '@landfall/kernel/operation/page';
import Type from 'typebox';
import { createWantList, signWantList } from '../kits/want-list.ts';
import { AIRGAP_READ, AIRGAP_SEAL } from '../shared/scopes.ts';
import { bundles, type SignedBundle, siteKeyOf } from './bundle.ts';
import { type ConflictWithSides, expectSeen, withSides } from './conflict-sides.ts';
import * as conflicts from './conflicts.store.ts';
import { createExport } from './export.ts';
import { type BundleDirectories, readBundleFile, writeBundleFile } from './files.ts';
import { type ImportedBundle, importBundle, mergeAgain } from './import.ts';
import * as jobs from './jobs.store.ts';
import { jobKey, jobKind } from './kinds.ts';
import { enqueue } from './queue.ts';
import * as sites from './sites.store.ts';
import type { SyncMeters } from './sync-meters.ts';

const recordSite = eventsOf('SyncSite');
const recordConflict = eventsOf('SyncConflict');

/** Hashes of a want-list that fit into a job. */
const MAX_WANTED_HASHES = 2_000;
const MAX_CONFLICTS = 200;

const fileName = patterned('^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$', 'must be the name of a file in the inbox of bundles', {
  maxLength: 128,
});

interface SyncDeps extends Pick<Deps, 'operation' | 'database' | 'ids'> {
  readonly directories: BundleDirectories;
  readonly signer: () => Promise<Signer>;
  readonly now: (tenant: TenantId) => Promise<Date>;
  readonly meters: SyncMeters;
}

/** Adds a site whose bundles are admitted, on the word of a person. @throws Fault RES_CONFLICT, VAL_INVALID_FORMAT */
export const addSite = async (
  tx: Parameters<typeof sites.insertSite>[0],
  who: Who,
  { siteId, name, siteKey }: { readonly siteId: string; readonly name: string; readonly siteKey: string },
): Promise<sites.SyncSite> => {
  const { tenant, subject } = who;
  const key = siteKeyOf(siteKey);
  if ((await sites.findNode(tx, tenant))?.siteId === siteId)
    throw new Fault('RES_CONFLICT', `${siteId} is this site itself. Add the file of another site.`, { siteId });
  const known = await sites.findSiteLocked(tx, tenant, siteId);
  if (known?.keyId === key.keyId && known.name === name) return known;
  const site = known
    ? await sites.updateSite(tx, tenant, siteId, { name, ...key })
    : await sites.insertSite(tx, tenant, { siteId, name, ...key, addedBy: subject });
  await recordSite(tx, who, 'syncSite.add', { id: siteId, version: site.version }, { name, keyId: key.keyId });
  return site;
};

/** Creates the operations of the synchronisation of sites. */
export const createSync = ({ operation, database, ids, directories, signer, now, meters }: SyncDeps) => {
  const exportBundle = createExport({ database, ids, signer, now });

  /** Payload that a person gave, or the want-list of this site. */
  const payloadOf = async ({ tenant }: Who, kind: string, given: string | undefined): Promise<object> => {
    if (given !== undefined) {
      const value = parseJson(given);
      if (typeof value === 'object' && value !== null) return value;
      throw invalid([{ field: 'payload', message: 'is no JSON object', code: 'VAL_INVALID_JSON' }]);
    }
    if (kind !== 'kit_request')
      throw invalid([{ field: 'payload', message: 'is required for evidence', code: 'VAL_REQUIRED_FIELD' }]);
    const createdAt = `${(await now(tenant)).toISOString().slice(0, 19)}Z`;
    const list = await database.read(tenant, (query) => createWantList(query, tenant, createdAt, MAX_WANTED_HASHES));
    return { wantList: await signWantList(list, await signer()) };
  };

  return {
    status: operation({
      name: 'sync.status',
      kind: 'read',
      scope: AIRGAP_READ,
      input: Type.Object({}),
      async run({ tenant }, _input, query) {
        const siteId = await sites.findNode(query, tenant);
        return {
          siteId: siteId?.siteId ?? null,
          sequence: siteId?.sequence ?? 0,
          queued: await jobs.countQueued(query, tenant),
          openConflicts: await conflicts.countOpen(query, tenant),
        };
      },
    }),

    jobs: operation({
      name: 'syncJob.list',
      kind: 'read',
      scope: AIRGAP_READ,
      input: Type.Object({ ...pageFields, state: Type.Optional(oneOf(...jobs.JOB_STATES)) }),
      example: { first: 10 },
      run: ({ tenant }, { state, ...page }, query) =>
        readPage(page, (bounds) => jobs.list(query, tenant, { state, ...bounds })),
    }),

    job: operation({
      name: 'syncJob.get',
      kind: 'read',
      scope: AIRGAP_READ,
      input: Type.Object({ id: idOf('SyncJob') }),
      raises: ['RES_NOT_FOUND'],
      example: { id: exampleId('SyncJob') },
      run: ({ tenant }, { id }, query) => jobs.get(query, tenant, id),
    }),

    payloads: operation({
      name: 'syncJob.listPayloads',
      kind: 'read',
      scope: AIRGAP_READ,
      input: Type.Object({ ids: Type.Array(idOf('SyncJob'), { maxItems: 1_000 }) }),
      example: { ids: [exampleId('SyncJob')] },
      run: ({ tenant }, { ids: wanted }, query) => jobs.listWholeByIds(query, tenant, wanted),
    }),

    /** Puts a job into the queue; a request of a kit without a payload tells what this site has. */
    enqueue: operation({
      name: 'syncJob.enqueue',
      kind: 'write',
      isBeat: true,
      cost: 10,
      scope: AIRGAP_SEAL,
      input: Type.Object({ kind: jobKind, key: jobKey, payload: Type.Optional(Type.String({ maxLength: 262_144 })) }),
      raises: ['RES_CONFLICT'],
      example: { kind: 'kit_request', key: 'kit of the next week' },
      prepare: async (who, { kind, payload }) => ({
        payload: await payloadOf(who, kind, payload),
        now: await now(who.tenant),
      }),
      async run(who, { kind, key }, tx, { payload, now: time }) {
        const { job, isNew } = await enqueue(tx, who, { ids, now: time }, { kind, key, payload });
        if (isNew) meters.enqueued(who.tenant, kind);
        return job;
      },
    }),

    /** Writes the next bundle into the outbox, or one of before again. */
    export: operation({
      name: 'syncBundle.export',
      kind: 'write',
      // A bundle that is written again changes nothing; a new one has its event with its jobs.
      isBeat: true,
      cost: 50,
      scope: AIRGAP_SEAL,
      input: Type.Object({ sequence: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647 })) }),
      raises: ['RES_NOT_FOUND', 'SYS_STORAGE_ERROR'],
      example: {},
      async prepare(who, { sequence }) {
        const started = performance.now();
        const bundle = await exportBundle(who, sequence);
        const file = await writeBundleFile(directories.outbox(who.tenant), bundle);
        meters.exported(who.tenant, bundle.text.length, started);
        const { text: _text, ...shown } = bundle;
        return { ...shown, file };
      },
      run: async (_who, _input, _tx, shown) => shown,
    }),

    /** Imports a bundle from the inbox: all of it or nothing. */
    import: operation({
      name: 'syncBundle.import',
      kind: 'write',
      isBeat: true,
      cost: 50,
      scope: AIRGAP_SEAL,
      input: Type.Object({ file: fileName }),
      raises: ['RES_NOT_FOUND', 'kit_archive_unsafe', 'sync_untrusted', 'sync_replayed', 'sync_gap', 'sync_ahead'],
      example: { file: 'bundle.json' },
      async prepare({ tenant }, { file }) {
        const started = performance.now();
        const text = await readBundleFile(directories.inbox(tenant), file);
        const done: { bundle: SignedBundle; now: Date; bytes: number; started: number; result?: ImportedBundle } = {
          ...{ bundle: bundles.read(text), now: await now(tenant), bytes: text.length, started },
        };
        return done;
      },
      async run(who, _input, tx, prepared) {
        prepared.result = await importBundle(tx, who, { ids, now: prepared.now }, prepared.bundle);
        return prepared.result;
      },
      committed({ tenant }, { result, bytes, started }) {
        if (result?.isNew) meters.imported(tenant, result, bytes, started);
      },
    }),

    sites: operation({
      name: 'syncSite.list',
      kind: 'read',
      scope: AIRGAP_READ,
      input: Type.Object({}),
      run: ({ tenant }, _input, query) => sites.listSites(query, tenant),
    }),

    addSite: operation({
      name: 'syncSite.add',
      kind: 'write',
      isBeat: true,
      scope: AIRGAP_SEAL,
      input: Type.Object({
        siteId: Type.String({ format: 'uuid' }),
        name: freeText(100),
        /** Public key in PEM. */
        siteKey: Type.String({ minLength: 1, maxLength: 4_096 }),
      }),
      raises: ['RES_CONFLICT'],
      example: {
        siteId: exampleId('Site'),
        name: 'Plant 7',
        siteKey:
          '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n-----END PUBLIC KEY-----\n',
      },
      run: (who, site, tx) => addSite(tx, who, site),
    }),

    conflicts: operation({
      name: 'syncConflict.list',
      kind: 'read',
      scope: AIRGAP_READ,
      input: Type.Object({
        openOnly: Type.Optional(Type.Boolean()),
        first: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_CONFLICTS })),
      }),
      example: { openOnly: true },
      async run({ tenant }, { openOnly = true, first = 50 }, query): Promise<readonly ConflictWithSides[]> {
        const found = await conflicts.list(query, tenant, { isOpen: openOnly, limit: first });
        const sides = await jobs.listSides(query, tenant, found);
        return found.map((conflict) => withSides(conflict, sides));
      },
    }),

    /** Decides a conflict: what counts here stays, or another side takes its place. */
    resolve: operation({
      name: 'syncConflict.resolve',
      kind: 'write',
      scope: AIRGAP_SEAL,
      input: Type.Object({
        id: idOf('SyncConflict'),
        choice: oneOf('keep_ours', 'take_theirs'),
        /** Side that the person chose: to take it where there is more than one other, to keep it if it still counts. */
        digest: Type.Optional(digest),
        reason: freeText(1_000),
        /** Version that the person saw; a resolved conflict is decided again only with it. */
        version: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647 })),
      }),
      raises: ['RES_NOT_FOUND', 'RES_CONFLICT'],
      example: { id: exampleId('SyncConflict'), choice: 'keep_ours', reason: 'The site confirmed it.' },
      async run(who, { id, choice, digest: wanted, reason, version }, tx): Promise<ConflictWithSides> {
        await sites.lockNode(tx, who.tenant, ids.uuid());
        const conflict = await conflicts.getLocked(tx, who.tenant, id);
        const { kind, key, chosenDigest: before } = conflict;
        const { sides, inForce } = withSides(conflict, await jobs.listSides(tx, who.tenant, [conflict]));
        expectSeen(conflict, version, choice === 'keep_ours' ? (wanted ?? inForce) === inForce : true);
        const others = [...new Set(sides.map((side) => side.digest))].filter((each) => each !== inForce);
        const theirs = wanted === undefined && others.length === 1 ? others[0] : others.find((each) => each === wanted);
        const chosen = choice === 'take_theirs' ? theirs : inForce;
        if (chosen === undefined)
          throw invalid([
            { field: 'digest', message: `must be one of ${others.join(', ')}`, code: 'VAL_INVALID_VALUE' },
          ]);
        const decision = { chosenDigest: chosen, reason, resolvedBy: who.subject, resolvedAt: sql`kernel.now()` };
        const resolved = await conflicts.update(tx, who.tenant, id, { state: 'resolved', ...decision });
        await mergeAgain(tx, who, conflict, { before, now: chosen });
        await recordConflict(tx, who, 'syncConflict.resolve', resolved, { kind, key, choice, digest: chosen, reason });
        return withSides(resolved, await jobs.listSides(tx, who.tenant, [resolved]));
      },
    }),
  };
};
