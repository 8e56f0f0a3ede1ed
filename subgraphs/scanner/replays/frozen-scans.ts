import type { Id, TenantId } from '@landfall/kernel/core/ids';
import type { Query } from '@landfall/kernel/db/query';
import { getManifest, manifestDocument, type StoredManifest } from '../manifests/manifests.ts';
import type { FrozenScan } from '../score/replay.ts';
import type { Coverage } from '../score/scan-score.ts';
import * as store from './frozen-scans.store.ts';

/** Input of every replay of a scan. */
export interface FrozenState {
  readonly scan: store.FrozenScanRow;
  readonly stored: StoredManifest;
  /** Input of the score but for its time. */
  readonly input: Omit<FrozenScan, 'freezeTimestamp'>;
}

const coverageOf = (scan: store.FrozenScanRow): Coverage => {
  const { components, evaluated, noPurl, unknownEcosystem, badVersion } = scan;
  if (components === null || evaluated === null || noPurl === null || unknownEcosystem === null || badVersion === null)
    throw new TypeError(`The scan ${scan.id} has a manifest and no coverage.`);
  return { components, evaluated, noPurl, unknownEcosystem, badVersion };
};

const stateOf = async (query: Query, tenant: TenantId, scan: store.FrozenScanRow): Promise<FrozenState> => {
  const stored = await getManifest(query, tenant, scan.id);
  const findings = await store.listFindings(query, tenant, scan.id);
  const input = { manifest: manifestDocument(stored), findings, coverage: coverageOf(scan), policy: stored.policy };
  return { scan, stored, input };
};

/** Refuses a scan of another tenant or of none: RES_NOT_FOUND. */
export const expectScan = (query: Query, tenant: TenantId, scanId: Id<'Scan'>): Promise<store.FrozenScanRow> =>
  store.get(query, tenant, scanId);

/** Frozen state of a scan. Throws RES_NOT_FOUND for an unknown scan, and for one that is not yet frozen. */
export const readFrozen = async (query: Query, tenant: TenantId, scanId: Id<'Scan'>): Promise<FrozenState> =>
  stateOf(query, tenant, await store.get(query, tenant, scanId));

/** Frozen state of the newest scan of an image; undefined without one. */
export const findFrozenByImage = async (
  query: Query,
  tenant: TenantId,
  imageDigest: string,
): Promise<FrozenState | undefined> => {
  const scan = await store.findByImage(query, tenant, imageDigest);
  return scan && stateOf(query, tenant, scan);
};
