import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { type Ids, toId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { eventsOf } from '@landfall/kernel/events/write';
import { failpoint } from '@landfall/kernel/system/failpoint';
import { type Bundle, type BundleEntry, isNext, payloadDigest, type SignedBundle, verifyBundle } from './bundle.ts';
import * as conflicts from './conflicts.store.ts';
import * as jobs from './jobs.store.ts';
import { checkPayload, isJobKey, JOB_KINDS, type JobKind, MAX_PAYLOAD_BYTES } from './kinds.ts';
import { merge } from './merge.ts';
import * as sites from './sites.store.ts';
import { FIRST_STAMP, msOf } from './stamp.ts';
import type { MergeCounts } from './sync-meters.ts';

const record = eventsOf('SyncBundle');
const recordJob = eventsOf('SyncJob');
const recordConflict = eventsOf('SyncConflict');

/** Lead of a site's clock from which its bundles are refused: they would drive the clock of this site too. */
const MAX_LEAD_MS = 86_400_000;

interface Surroundings {
  readonly ids: Ids;
  readonly now: Date;
}

/** Result of an import; one that is imported again changes nothing. */
export interface ImportedBundle extends MergeCounts {
  readonly siteId: string;
  readonly sequence: number;
  readonly isNew: boolean;
  readonly refused: number;
}

/** Job without what the database adds, and where the merge alone needs it, without its payload. */
type MergedJob = Omit<jobs.SyncJob, 'createdAt'>;
type NewJob = Omit<jobs.WholeJob, 'createdAt'>;

const kindOf = (kind: string): JobKind | undefined => JOB_KINDS.find((each) => each === kind);

/** Why an entry is refused; undefined where it can be merged. */
const refusalOf = ({ kind, key, digest, payload }: BundleEntry): string | undefined => {
  const known = kindOf(kind);
  if (!known) return `This version knows no jobs of the kind ${kind}.`;
  if (payloadDigest(payload) !== digest) return 'The payload differs from its digest.';
  if (!isJobKey(key)) return 'The key is blank or has a NUL character.';
  try {
    checkPayload(known, payload);
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
};

/** Bytes of the key of a refused job: what its index takes. */
const MAX_KEY_BYTES = 2_000;

/** Text as the database can keep it, of at most so many bytes. */
const keepable = (text: string, bytes: number): string => {
  const whole = Buffer.from(text.replaceAll('\0', '\\u0000'));
  // A stream keeps back the character that is cut.
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(whole.subarray(0, bytes), { stream: true });
};

/** Refuses a bundle that is stamped by a clock far ahead, so that it can be imported once the clocks agree. @throws Fault sync_ahead */
const expectNear = ({ siteId, sequence, entries }: Bundle, { name }: sites.SyncSite, now: Date): void => {
  const latest = new Date(msOf(entries.at(-1)?.stamp ?? FIRST_STAMP));
  if (latest.getTime() <= now.getTime() + MAX_LEAD_MS) return;
  throw new Fault(
    'sync_ahead',
    `Bundle ${sequence} of ${name} is more than a day ahead of the clock of this site, which is at ${now.toISOString()}. Compare the clocks of both sites, correct the wrong one, and import the bundle again: nothing of it was taken.`,
    { siteId, sequence, latestStamp: entries.at(-1)?.stamp, now: now.toISOString() },
  );
};

const nameOf = ({ kind, key }: { readonly kind: string; readonly key: string }): string => `${kind} ${key}`;

/** Tells the platform that a job took effect. */
const recordApplied = (tx: Tx, who: Who, { id, kind, key, siteId, digest }: MergedJob) =>
  recordJob(tx, who, 'syncJob.apply', { id }, { kind, key, siteId, digest });

/**
 * Merges all jobs with one name, of which some are new. States of own jobs stay as they are. `effect` is the job that counts
 * from now on, where another one did before.
 */
const mergeName = (
  known: readonly jobs.SyncJob[],
  added: readonly NewJob[],
  { before, now }: { readonly before: string | null; readonly now: string | null },
) => {
  const { states, digests, inForce } = merge<MergedJob>([...known, ...added], now);
  const isOwn = ({ state }: MergedJob): boolean => state === 'queued' || state === 'exported';
  const decided = <J extends MergedJob>(job: J): J =>
    isOwn(job) ? job : { ...job, state: states.get(job.id) ?? job.state };
  const moved = known.map(decided).filter(({ state }, index) => state !== known[index]?.state);
  const fresh = added.map(decided);
  const earlier = merge(known, before);
  const isSame = earlier.inForce === inForce;
  const effect = isSame ? undefined : [...moved, ...fresh].find(({ state }) => state === 'applied');
  const news = digests.length - earlier.digests.length;
  return { digests, news, isSame, moved, added: fresh, effect, conflicts: known.length > 0 ? news : news - 1 };
};

/** Decides about a name again, after a person chose a side. */
export const mergeAgain = async (
  tx: Tx,
  who: Who,
  name: jobs.JobName,
  choices: { readonly before: string | null; readonly now: string },
): Promise<void> => {
  const { moved, effect } = mergeName(await jobs.listSides(tx, who.tenant, [name]), [], choices);
  for (const job of moved) await jobs.setState(tx, who.tenant, job);
  if (effect) await recordApplied(tx, who, effect);
};

/** Notes a conflict or its new version; one with a new side is open again. */
const noteConflict = async (
  tx: Tx,
  who: Who,
  { ids }: Surroundings,
  {
    known,
    digests,
    ...name
  }: Pick<MergedJob, 'kind' | 'key'> & {
    readonly known: conflicts.SyncConflict | undefined;
    readonly digests: readonly string[];
  },
): Promise<void> => {
  const noted = known
    ? await conflicts.update(tx, who.tenant, known.id, { state: 'open' })
    : await conflicts.insert(tx, who.tenant, { id: toId(ids.uuid(), 'SyncConflict'), ...name, state: 'open' });
  await recordConflict(tx, who, 'syncConflict.find', noted, { ...name, digests });
};

/** Merges the jobs of a bundle, or an own one, and stores them. */
export const mergeAll = async (
  tx: Tx,
  who: Who,
  around: Surroundings,
  added: readonly NewJob[],
): Promise<MergeCounts> => {
  const { tenant } = who;
  const knownByName = Map.groupBy(await jobs.listSides(tx, tenant, added), nameOf);
  const conflictByName = new Map((await conflicts.listByNames(tx, tenant, added)).map((row) => [nameOf(row), row]));
  const applied: string[] = [];
  let [duplicates, contradictions] = [0, 0];
  for (const [name, given] of Map.groupBy(added, nameOf)) {
    const known = conflictByName.get(name);
    const chosen = known?.chosenDigest ?? null;
    const merged = mergeName(knownByName.get(name) ?? [], given, { before: chosen, now: chosen });
    await jobs.insertAll(tx, tenant, merged.added);
    for (const job of merged.moved) await jobs.setState(tx, tenant, job);
    if (merged.effect) {
      applied.push(merged.effect.kind);
      await recordApplied(tx, who, merged.effect);
    }
    duplicates += given.length - merged.news;
    contradictions += merged.conflicts;
    // A repeated digest with an earlier stamp can count from now on: who decides has to see it.
    const isNoted = merged.conflicts > 0 || (known && !merged.isSame);
    for (const { kind, key } of isNoted ? given.slice(0, 1) : [])
      await noteConflict(tx, who, around, { kind, key, known, digests: merged.digests });
  }
  return { entries: added.length, applied, duplicates, conflicts: contradictions };
};

/**
 * Imports a bundle on the transaction of its caller: all of it, or nothing.
 * @throws Fault sync_untrusted, sync_replayed, sync_gap, sync_ahead, VAL_*
 */
export const importBundle = async (
  tx: Tx,
  who: Who,
  around: Surroundings,
  bundle: SignedBundle,
): Promise<ImportedBundle> => {
  const { tenant } = who;
  const { siteId, sequence, entries } = bundle.value;
  // One lock for all that is merged: two merges at once would each miss the jobs of the other.
  const node = await sites.lockNode(tx, tenant, around.ids.uuid());
  if (node.siteId === siteId)
    throw new Fault('sync_untrusted', `Bundle ${sequence} is of this site itself. Import it at another site.`, {
      siteId,
    });
  const site = await sites.findSiteLocked(tx, tenant, siteId);
  verifyBundle(bundle, site);
  if (!site || !isNext(bundle, site)) {
    return { siteId, sequence, isNew: false, entries: 0, applied: [], duplicates: 0, conflicts: 0, refused: 0 };
  }
  expectNear(bundle.value, site, around.now);
  const added: NewJob[] = [];
  const refused: NewJob[] = [];
  for (const entry of entries) {
    const refusal = refusalOf(entry);
    const kind: NewJob['kind'] = kindOf(entry.kind) ?? 'unknown';
    const job = { ...entry, id: toId(around.ids.uuid(), 'SyncJob'), siteId, kind, sequence } as const;
    if (refusal === undefined) added.push({ ...job, state: 'applied', refusal: null });
    else {
      const kept = { key: keepable(entry.key, MAX_KEY_BYTES), payload: keepable(entry.payload, MAX_PAYLOAD_BYTES) };
      refused.push({ ...job, ...kept, state: 'refused', refusal: keepable(refusal, MAX_KEY_BYTES) });
    }
  }
  await jobs.insertAll(tx, tenant, refused);
  const counts = await mergeAll(tx, who, around, added);
  await failpoint('sync.merged');
  const stamp = entries.at(-1)?.stamp ?? site.stamp;
  const imported = { sequence, bundleDigest: bundle.digest, stamp, importedAt: sql`kernel.now()` };
  await sites.updateSite(tx, tenant, siteId, imported);
  const latest = added.at(-1);
  if (latest) await sites.moveClock(tx, tenant, latest.stamp);
  const data = { ...counts, applied: counts.applied.length, digest: bundle.digest, refused: refused.length };
  await record(tx, who, 'syncBundle.import', { id: siteId, version: sequence }, data);
  return { ...counts, siteId, sequence, isNew: true, refused: refused.length };
};
