import { Fault } from '@landfall/kernel/core/fault';
import type { Id, TenantId } from '@landfall/kernel/core/ids';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { getFreeze, getManifest, manifestDocument, type StoredManifest } from '../manifests/manifests.ts';
import type { FrozenScan } from '../score/replay.ts';
import { pinnedDocuments } from '../vex/document-set.ts';
import * as store from './frozen-scans.store.ts';

/** Input of every replay of a scan. */
export interface FrozenState {
  readonly scan: store.FrozenScanRow;
  readonly stored: StoredManifest;
  /** Input of the score but for its time. */
  readonly input: Omit<FrozenScan, 'freezeTimestamp'>;
}

/** Freeze of a scan: the one with a number or the newest over some inputs, otherwise the newest. */
interface NamedFreeze {
  readonly freezeNumber?: number | undefined;
  readonly manifestHash?: string | undefined;
}

/** Readings of a scan that is frozen again meanwhile before a request gives up. */
const TRIES = 3;

const stateOf = async (
  query: Query,
  tenant: TenantId,
  scan: store.FrozenScanRow,
  named: NamedFreeze = {},
): Promise<FrozenState> => {
  for (let tries = 0; tries < TRIES; tries++) {
    const stored = await getManifest(query, tenant, scan.id, named);
    const { components, evaluated, noPurl, unknownEcosystem, badVersion } = await getFreeze(query, tenant, stored);
    const coverage = { components, evaluated, noPurl, unknownEcosystem, badVersion };
    const findings = await store.findFindings(query, tenant, scan.id, stored.freezeNumber);
    const { policy, vexSetHash } = stored;
    const vexDocuments = await pinnedDocuments(query, tenant, vexSetHash);
    const manifest = manifestDocument(stored);
    if (findings) return { scan, stored, input: { manifest, findings, coverage, policy, vexDocuments } };
  }
  throw new Error(`The scan ${scan.id} was frozen again during each of ${TRIES} readings.`);
};

/** Refuses a scan of another tenant or of none: RES_NOT_FOUND. */
export const expectScan = (query: Query, tenant: TenantId, scanId: Id<'Scan'>): Promise<store.FrozenScanRow> =>
  store.get(query, tenant, scanId);

/**
 * Frozen state of a scan. Throws RES_NOT_FOUND for an unknown scan, for one that is not yet frozen, and for a freeze that
 * is not stored.
 */
export const readFrozen = async (
  query: Query,
  tenant: TenantId,
  scanId: Id<'Scan'>,
  named: NamedFreeze = {},
): Promise<FrozenState> => stateOf(query, tenant, await store.get(query, tenant, scanId), named);

/** Frozen state of the newest scan of an image; undefined without one. */
export const findFrozenByImage = async (
  query: Query,
  tenant: TenantId,
  imageDigest: string,
): Promise<FrozenState | undefined> => {
  const scan = await store.findByImage(query, tenant, imageDigest);
  return scan && stateOf(query, tenant, scan);
};

/**
 * Keeps the freeze of a replay from being deleted until the transaction ends.
 * @throws Fault RES_CONFLICT where a newer freeze has replaced it since it was read
 */
export const lockFreeze = async (tx: Tx, tenant: TenantId, { scan, stored }: FrozenState): Promise<void> => {
  await store.lock(tx, tenant, scan.id);
  if (await store.hasFreeze(tx, tenant, scan.id, stored.freezeNumber)) return;
  throw new Fault('RES_CONFLICT', `The scan ${scan.id} was rescored during the replay. Repeat the request.`, {
    id: scan.id,
  });
};
