import type { Who } from '@landfall/kernel/core/caller';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import type { Deps, ProductDirectory } from '@landfall/kernel/module';
import { failpoint } from '@landfall/kernel/system/failpoint';
import {
  getManifest,
  type Manifests,
  manifestDocument,
  type SealedManifest,
  storeFreeze,
} from '../manifests/manifests.ts';
import { readSbom } from '../sbom/read-sbom.ts';
import { loadSuppressed } from '../triage/finding-decisions.ts';
import { storeDocuments } from '../vex/document-set.ts';
import * as components from './components.store.ts';
import { concernedInputs, type InputDigests } from './concerned-inputs.ts';
import { storedDocument } from './documents.ts';
import { compareFindings, disappearedCount, type FindingChanges } from './finding-changes.ts';
import { type RuledScan, ruleFindings } from './finding-vex.ts';
import * as findings from './findings.store.ts';
import { type FrozenState, freezeMatches, resultsOf } from './freeze.ts';
import { matchSbom } from './matching.ts';
import * as freezes from './replaced-freezes.store.ts';
import { reuseMatches } from './reused-matches.ts';
import { publishRescore } from './scan-events.ts';
import * as store from './scans.store.ts';

/** Changes that the history of a scan stores. */
const MOST_CHANGES = 1_000;

interface RefreezeDeps extends Pick<Deps, 'database' | 'clock'> {
  readonly manifests: Manifests;
  readonly products: ProductDirectory;
  /** Version of this program, which manifests name. */
  readonly scannerVersion: string;
}

/** Result of freezing a scan again; undefined where its inputs are those of its newest freeze. */
export type Refrozen = { readonly isDeterministic: boolean } | undefined;

interface NextFreeze {
  readonly scan: store.RescoredScan;
  readonly matched: RuledScan;
  readonly frozen: FrozenState;
  readonly sealed: SealedManifest;
  readonly causes: readonly string[];
  readonly changes: FindingChanges;
}

/** Roles whose digests differ; both sides have those that concern the scan. */
const changedRoles = (before: InputDigests, after: InputDigests): string[] =>
  Object.keys(after)
    .filter((role) => after[role] !== before[role])
    .toSorted();

const storedChanges = (all: FindingChanges) => {
  const { disappeared, appeared } = all;
  const appearances = appeared.map(({ finding: { findingId, vulnId, purl } }) => ({
    findingId,
    vulnId,
    purl,
    reason: 'appeared' as const,
  }));
  return {
    appearedCount: appeared.length,
    disappearedCount: disappearedCount(all),
    changes: [...disappeared, ...appearances].slice(0, MOST_CHANGES),
  };
};

/** Keeps the freeze that is replaced where it is the first or something refers to it, and deletes it otherwise. */
const replaceFreeze = async (tx: Tx, tenant: TenantId, { id: scanId, freezeNumber }: store.Scan): Promise<void> => {
  const key = { scanId, freezeNumber };
  const stays = freezeNumber === 1 || (await freezes.isReferred(tx, tenant, key));
  await (stays ? freezes.copyFindings : freezes.removeManifest)(tx, tenant, key);
};

/** Deletes the findings that went away; a renamed one leaves its reachability to its successor. */
const removeDisappeared = async (
  tx: Tx,
  tenant: TenantId,
  scanId: store.ScanId,
  { disappeared }: FindingChanges,
): Promise<void> => {
  if (disappeared.length === 0) return;
  const renamings = disappeared.flatMap(({ findingId, successor }) =>
    successor === undefined ? [] : [{ findingId, successor }],
  );
  await findings.copyReachability(tx, tenant, scanId, renamings);
  const ids = disappeared.map(({ findingId }) => findingId);
  await findings.removeAll(tx, tenant, scanId, ids);
};

/** Creates the rescoring of one scan: it is matched again, and frozen again when an input that concerns it changed. */
export const createRefreeze = ({ database, clock, manifests, products, scannerVersion }: RefreezeDeps) => {
  const inputsBefore = async (tenant: TenantId, scan: store.RescoredScan, { families }: RuledScan) => {
    if (scan.inputs) return scan.inputs;
    const stored = await database.read(tenant, (query) => getManifest(query, tenant, scan.id));
    return concernedInputs(manifestDocument(stored), families);
  };

  const matchAgain = async (who: Who, scan: store.RescoredScan): Promise<RuledScan> => {
    const sbom = await readSbom(storedDocument(database, who, scan.sbomDigest));
    return ruleFindings(database, who, await matchSbom(database, who, sbom), scan);
  };

  const compareWithStored = (tenant: TenantId, scanId: store.ScanId, { findings: found }: RuledScan) =>
    database.read(tenant, async (query) =>
      compareFindings(query, await findings.listKnown(query, tenant, scanId), found),
    );

  const save = async (tx: Tx, who: Who, next: NextFreeze): Promise<Refrozen> => {
    const { tenant } = who;
    const { scan: before, matched, frozen, sealed, causes, changes } = next;
    // Another process may have been as fast.
    const current = await store.findLocked(tx, tenant, before.id);
    if (current?.freezeNumber !== before.freezeNumber) return undefined;
    const found = matched.findings;
    await replaceFreeze(tx, tenant, before);
    await storeFreeze(tx, tenant, sealed, { ...resultsOf(frozen, found.length), causes, ...storedChanges(changes) });
    await findings.upsertAll(tx, tenant, before.id, found, frozen.findingScore);
    await removeDisappeared(tx, tenant, before.id, changes);
    await storeDocuments(tx, tenant, matched.vexDocuments);
    if (causes.some((role) => role.startsWith('feed:osv:')))
      await components.updateOutcomes(tx, tenant, before.id, matched.evaluations);
    const rescored = await store.setRescored(tx, tenant, before, found.length, frozen);
    await failpoint('scanner.rescoring.saving');
    const isNew = changes.appeared.length + changes.successors.length > 0;
    await publishRescore(tx, who, rescored, {
      findings: found,
      suppressed: await loadSuppressed(tx, tenant, products, rescored),
      changes,
      causes,
      scorePpmBefore: before.scorePpm,
      isNewestOfImage: isNew && (await store.isNewestOfImage(tx, tenant, rescored)),
    });
    return { isDeterministic: frozen.manifest.deterministic };
  };

  /** Freezes a completed scan again if an input that concerns it changed. Throws SbomError for a bill that cannot be read. */
  return async (who: Who, scanId: store.ScanId): Promise<Refrozen> => {
    const { tenant } = who;
    const scan = await database.read(tenant, (query) => store.findCompleted(query, tenant, scanId));
    if (!scan) return undefined;
    const { sbomDigest, createdAt } = scan;
    const matched = (await reuseMatches(database, who, scan, scannerVersion)) ?? (await matchAgain(who, scan));
    const frozen = await freezeMatches(matched, { scanId, sbomDigest, scannerVersion, createdAt, now: clock.now() });
    const causes = changedRoles(await inputsBefore(tenant, scan, matched), frozen.inputs);
    if (causes.length === 0) {
      await database.write(tenant, (tx) => store.setCompared(tx, tenant, scanId, frozen.inputs));
      return undefined;
    }
    const changes = await compareWithStored(tenant, scanId, matched);
    const sealed = await manifests.freezeScan({ ...frozen, freezeNumber: scan.freezeNumber + 1 });
    await failpoint('scanner.rescoring.frozen');
    return database.write(tenant, (tx) => save(tx, who, { scan, matched, frozen, sealed, causes, changes }));
  };
};

interface GivenUp {
  readonly inputs: InputDigests;
  /** Why, for those who read the scan. */
  readonly error: string;
}

/** Gives a scan up until one of these inputs, which are in force, changes; its newest freeze stays, and says why. */
export const giveUp = (
  database: Deps['database'],
  tenant: TenantId,
  scanId: store.ScanId,
  { inputs, error }: GivenUp,
): Promise<number> => database.write(tenant, (tx) => store.setCompared(tx, tenant, scanId, inputs, error));
