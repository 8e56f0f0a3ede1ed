import type { Who } from '@landfall/kernel/core/caller';
import { invalid } from '@landfall/kernel/core/fault';
import { exampleId, type Ids, idOf, toId } from '@landfall/kernel/core/ids';
import type { Database } from '@landfall/kernel/db/database';
import type { Tx } from '@landfall/kernel/db/query';
import { eventsOf } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import { patterned } from '@landfall/kernel/operation/input';
import { pageFields, readPage } from '@landfall/kernel/operation/page';
import type { ScanGate } from '@landfall/kernel/operator/transfers';
import Type from 'typebox';
import { getRoot } from '../roots/installed-root.ts';
import { documentText } from '../roots/signed-document.ts';
import { AIRGAP_READ, AIRGAP_SEAL } from '../shared/scopes.ts';
import { expectRule } from './gate-preview.ts';
import * as store from './imports.store.ts';
import { folderName, type KitDirectories } from './inbox.ts';
import { findActive } from './kits.store.ts';
import { isNewer, type JudgementTime, type SignedKit, verifyKit } from './manifest.ts';

/** Codes of kits that are refused. */
const KIT_RAISES = [
  'root_expired',
  'kit_untrusted',
  'kit_root_mismatch',
  'kit_revoked',
  'kit_expired',
  'kit_from_future',
  'kit_rolled_back',
  'kit_chain_broken',
  'kit_archive_unsafe',
] as const;

/** Time of a tenant by its anchor, which no clock that is set back makes earlier. */
export type AnchoredNow = (tenant: Who['tenant']) => Promise<Date>;

/** Time by which a tenant judges kits; a sealed site without a usable anchor has none. */
export type ImportTime = (tenant: Who['tenant']) => Promise<JudgementTime>;

const recordImport = eventsOf('KitImport');

/** Registry, with a path below which repositories are kept. */
export const registry = patterned(
  '^[A-Za-z0-9][A-Za-z0-9.-]*(?::[0-9]{1,5})?(?:/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*$',
  'must be the host of a registry, with a path where there is one, such as registry.example/mirror',
  { maxLength: 255 },
);

interface Requested {
  readonly kit: SignedKit;
  /** Folder of the inbox; null where a command brought the parts. */
  readonly source: string | null;
  readonly registry: string | null;
  readonly isDryRun: boolean;
  /** Rule of the gate that a dry run evaluates; null for the default. */
  readonly failOn: string | null;
}

/** Queues the import of a verified kit; one that waits for parts goes on with those of the new source. */
export const queueImport = async (
  tx: Tx,
  caller: Who,
  ids: Ids,
  { kit, source, registry: host, isDryRun, failOn: rule }: Requested,
): Promise<store.KitImport> => {
  const failOn = trimmed(rule);
  const { tenant, subject, clientId } = caller;
  const open = await store.findOpen(tx, tenant, { kitDigest: kit.digest, isDryRun, failOn });
  const { kitId, kind, channel, sequence } = kit.value;
  const row = open
    ? await store.update(tx, tenant, open.id, {
        source,
        registry: host ?? open.registry,
        // One that is queued may have a worker, whose lease stays.
        ...(open.state === 'waiting' && { state: 'queued' }),
      })
    : await store.insert(tx, tenant, {
        id: toId(ids.uuid(), 'KitImport'),
        ...{ kitId, kind, channel, sequence, source, isDryRun, failOn },
        kitDigest: kit.digest,
        envelope: documentText(kit),
        registry: host,
        state: 'queued',
        requestedBy: subject,
        requestedThrough: clientId,
      });
  await recordImport(tx, caller, 'kit.requestImport', row, {
    kitId,
    kitDigest: kit.digest,
    channel,
    sequence,
    isDryRun,
  });
  return row;
};

/** Refusal of a rule that nothing evaluates. */
const UNUSED_RULE = {
  ...{ field: 'failOn', code: 'VAL_INVALID_VALUE' as const },
  message: 'needs isDryRun: an import evaluates no gate',
};

/** Rule without the spaces around its terms, so that one rule is one dry run however it is written. */
const trimmed = (rule: string | null): string | null => rule?.replaceAll(/\s*(^|,|$)\s*/g, '$1') ?? null;

interface RequestDeps extends Pick<Deps, 'operation' | 'ids'> {
  readonly database: Pick<Database, 'read'>;
  readonly directories: KitDirectories;
  readonly importTime: ImportTime;
  readonly gate: Pick<ScanGate, 'problemOf'>;
}

/** Creates the operations on imports of kits, which a worker performs. */
export const createImportRequests = ({ operation, ids, database, directories, importTime, gate }: RequestDeps) => ({
  request: operation({
    name: 'kit.import',
    kind: 'write',
    cost: 0,
    scope: AIRGAP_SEAL,
    input: Type.Object({
      folder: folderName,
      registry: Type.Optional(registry),
      isDryRun: Type.Optional(Type.Boolean()),
      failOn: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    }),
    raises: ['RES_NOT_FOUND', ...KIT_RAISES],
    example: { folder: 'next' },
    async prepare({ tenant }, { folder, isDryRun = false, failOn }): Promise<SignedKit> {
      if (failOn !== undefined && !isDryRun) throw invalid([UNUSED_RULE]);
      if (failOn !== undefined) expectRule(gate, failOn);
      const kit = await directories.read(tenant, folder);
      const time = await importTime(tenant);
      await database.read(tenant, async (query) => {
        verifyKit(kit, await getRoot(query), time);
        isNewer(kit, await findActive(query, tenant, kit.value.channel));
      });
      return kit;
    },
    run: (caller, { folder, registry: host = null, isDryRun = false, failOn = null }, tx, kit) =>
      queueImport(tx, caller, ids, { kit, source: folder, registry: host, isDryRun, failOn }),
  }),

  list: operation({
    name: 'kitImport.list',
    kind: 'read',
    scope: AIRGAP_READ,
    input: Type.Object(pageFields),
    example: { first: 10 },
    run: ({ tenant }, page, query) => readPage(page, (bounds) => store.list(query, tenant, bounds)),
  }),

  get: operation({
    name: 'kitImport.get',
    kind: 'read',
    scope: AIRGAP_READ,
    input: Type.Object({ id: idOf('KitImport') }),
    raises: ['RES_NOT_FOUND'],
    example: { id: exampleId('KitImport') },
    run: ({ tenant }, { id }, query) => store.get(query, tenant, id),
  }),
});
