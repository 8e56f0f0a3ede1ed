import { sha256Hex } from '@landfall/kernel/crypto/digest';
import type { Tx } from '@landfall/kernel/db/query';
import { createAliasGroups } from '../advisories/alias-groups.ts';
import type { OsvRecord } from '../advisories/osv-record.ts';
import { ecosystemKey, packageNameKey } from '../packages/ecosystem.ts';
import * as store from './advisories.store.ts';
import * as aliases from './aliases.store.ts';
import * as captures from './captures.store.ts';
import type { FeedDatabase } from './feed-database.ts';

/** Advisories of an import by what became of them. */
export interface AdvisoryCounts {
  /** New or changed. */
  written: number;
  unchanged: number;
  /** Older than another version of the same advisory, stored or in the same import, which stays. */
  older: number;
  /** Withdrawn, among the written. */
  withdrawn: number;
}

const BATCH = 500;
const EPOCH = '1970-01-01T00:00:00.000Z';
/** Characters of an advisory's description that are stored; search has the whole. */
const LONGEST_DETAILS = 2_000;

const packagesOf = ({ affected }: OsvRecord): store.AdvisoryPackage[] => {
  const packages = new Map<string, store.AdvisoryPackage & { readonly entries: OsvRecord['affected'][number][] }>();
  for (const entry of affected) {
    if (entry.ecosystem === null || entry.packageName === null) continue;
    const ecosystem = ecosystemKey(entry.ecosystem);
    const packageName = packageNameKey(ecosystem, entry.packageName);
    const key = `${ecosystem}\n${packageName}`;
    const known = packages.get(key);
    if (known) known.entries.push(entry);
    else packages.set(key, { ecosystem, packageName, entries: [entry] });
  }
  return [...packages.values()];
};

interface PreparedAdvisory extends Omit<store.StoredAdvisory, 'aliasGroup'> {
  readonly ids: readonly string[];
}

const prepare = ({ affected, ...record }: OsvRecord): PreparedAdvisory => {
  const head = { ...record, details: record.details?.slice(0, LONGEST_DETAILS).toWellFormed() ?? null };
  const packages = packagesOf({ ...record, affected });
  return {
    head,
    packages,
    ids: [record.id, ...record.aliases],
    modified: record.modified ?? record.published ?? EPOCH,
    digest: sha256Hex(JSON.stringify([head, packages])),
  };
};

/** Whether a version replaces another one. Of two with one date that of the higher digest stays, in whatever order they come. */
const isNewer = (
  { modified, digest }: Pick<PreparedAdvisory, 'modified' | 'digest'>,
  other: { readonly modified: Date; readonly digest: string } | undefined,
): boolean => {
  if (!other) return true;
  const difference = Date.parse(modified) - other.modified.getTime();
  return difference > 0 || (difference === 0 && digest > other.digest);
};

const familyOf = (ecosystem: string): string => ecosystem.split(':', 1)[0] ?? ecosystem;

const writeAll = async (tx: Tx, fresh: readonly PreparedAdvisory[]): Promise<void> => {
  const ids = fresh.flatMap((each) => each.ids);
  const existing = new Map((await aliases.listGroups(tx, ids)).map(({ alias, aliasGroup }) => [alias, aliasGroup]));
  let number = await aliases.highestGroup(tx);
  const groups = createAliasGroups(existing, () => {
    number += 1;
    return number;
  });
  for (const each of fresh) groups.join(each.ids);
  const { assigned, joined } = groups.changes();
  await aliases.assignAll(tx, assigned);
  await aliases.joinAll(tx, joined);
  await store.upsertAll(
    tx,
    fresh.map(({ ids: own, ...each }) => ({ ...each, aliasGroup: groups.join(own) })),
  );
};

interface BatchOutcome {
  readonly fresh: readonly PreparedAdvisory[];
  readonly changed: readonly PreparedAdvisory[];
}

/** Writes those of a batch that are newer than what is stored. */
const writeBatch = (database: FeedDatabase, prepared: readonly PreparedAdvisory[]): Promise<BatchOutcome> =>
  database.system.write(async (tx) => {
    await captures.lockImports(tx);
    const ids = prepared.map(({ head }) => head.id);
    const stored = new Map((await store.listVersions(tx, ids)).map((version) => [version.id, version]));
    const changed = prepared.filter(({ head, digest }) => stored.get(head.id)?.digest !== digest);
    const fresh = changed.filter((each) => isNewer(each, stored.get(each.head.id)));
    const replaced = await store.listEcosystems(
      tx,
      fresh.map(({ head }) => head.id),
    );
    if (fresh.length > 0) await writeAll(tx, fresh);
    // A corrected advisory may be about an ecosystem no longer, whose feed changes all the same.
    const written = fresh.flatMap(({ packages }) => packages.map(({ ecosystem }) => ecosystem));
    await captures.noteChanges(tx, [...new Set([...written, ...replaced].map(familyOf))]);
    return { fresh, changed };
  });

/** Puts the state of an ecosystem's advisories in force. */
const captureFamily = (database: FeedDatabase, family: string): Promise<void> =>
  database.system.write(async (tx) => {
    await captures.lockImports(tx);
    const { digest, records, modified } = await store.stateOf(tx, family);
    const publishedAt = modified?.toISOString() ?? null;
    const ecosystems = await captures.listEcosystems(tx, family);
    await captures.capture(tx, { role: `feed:osv:${family}`, digest, records, publishedAt, ecosystems });
    await captures.endChange(tx, family);
  });

/**
 * Imports advisories in batches; `end` puts the new states of their feeds in force, and of feeds that a killed import changed.
 */
export const createAdvisoryImport = ({ database }: { readonly database: FeedDatabase }) => {
  const counts: AdvisoryCounts = { written: 0, unchanged: 0, older: 0, withdrawn: 0 };
  const families = new Set<string>();
  let batch = new Map<string, PreparedAdvisory>();

  const flush = async (): Promise<void> => {
    const prepared = [...batch.values()];
    batch = new Map();
    const { fresh, changed } = await writeBatch(database, prepared);
    counts.written += fresh.length;
    counts.unchanged += prepared.length - changed.length;
    counts.older += changed.length - fresh.length;
    counts.withdrawn += fresh.filter(({ head }) => head.withdrawn !== null).length;
  };

  return {
    counts,
    async add(record: OsvRecord): Promise<void> {
      const prepared = prepare(record);
      for (const { ecosystem } of prepared.packages) families.add(familyOf(ecosystem));
      const other = batch.get(record.id);
      if (other) counts.older += 1;
      if (isNewer(prepared, other && { ...other, modified: new Date(other.modified) })) batch.set(record.id, prepared);
      if (batch.size >= BATCH) await flush();
    },
    async end(): Promise<void> {
      if (batch.size > 0) await flush();
      const changed = await database.system.read(captures.listChanges);
      for (const family of new Set([...families, ...changed])) await captureFamily(database, family);
    },
  };
};
