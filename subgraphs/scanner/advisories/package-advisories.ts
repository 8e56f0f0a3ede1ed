import { ecosystemKey, packageNameKey } from '../packages/ecosystem.ts';
import type { VersionOrder } from '../packages/version-order.ts';
import { badVersionsOf, type CompiledRange, compareKeys, compileRange, evaluateRange } from './affected-range.ts';
import { unique } from './document-fields.ts';
import type { OsvAffected, OsvRange, OsvRecord } from './osv-record.ts';
import { versionKey } from './version-keys.ts';

/** A package as advisories name it, with the order of its versions. */
interface AdvisedPackage {
  readonly ecosystem: string;
  readonly packageName: string;
  readonly order: VersionOrder;
}

interface Verdict {
  readonly record: OsvRecord;
  readonly isAffected: boolean;
  /** False where nothing says that the version is affected, but something could not be evaluated. */
  readonly isConclusive: boolean;
  /** First fixed version after the affected one in each range that contains it, ascending. */
  readonly fixedVersions: readonly string[];
  /** Versions that the ecosystem's order cannot read: the one in question, and bounds of ranges. */
  readonly badVersions: readonly string[];
  /** Entries of the record that affect the version, for their symbols and severity. */
  readonly entries: readonly OsvAffected[];
}

/** An entry without a release, such as `AlmaLinux`, is about all releases of its ecosystem. */
const isAbout = (entry: OsvAffected, { ecosystem, packageName }: AdvisedPackage): boolean => {
  if (entry.ecosystem === null || entry.packageName === null) return false;
  const [stated, asked] = [ecosystemKey(entry.ecosystem), ecosystemKey(ecosystem)];
  const isEcosystem = stated === asked || stated === asked.split(':')[0];
  return isEcosystem && packageNameKey(stated, entry.packageName) === packageNameKey(asked, packageName);
};

interface CompiledEntry {
  readonly entry: OsvAffected;
  readonly ranges: readonly CompiledRange[];
  readonly customRanges: readonly CompiledRange[];
  readonly badVersions: readonly string[];
  /** Whether something besides ranges of commits says which versions are affected. */
  readonly isEvaluable: boolean;
}

const compileRanges = (ranges: readonly OsvRange[], order: VersionOrder) => {
  const versioned = ranges
    .filter(({ type }) => type !== 'GIT')
    .map((range) => ({ range, bad: badVersionsOf(range, order) }));
  return {
    ranges: versioned.filter(({ bad }) => bad.length === 0).map(({ range }) => compileRange(range, order)),
    bad: versioned.flatMap(({ bad }) => bad),
  };
};

const compileEntry = (entry: OsvAffected, order: VersionOrder): CompiledEntry => {
  const own = compileRanges(entry.ranges, order);
  const custom = compileRanges(entry.customRanges, order);
  return {
    entry,
    ranges: own.ranges,
    // Custom ranges only narrow, so where one cannot be read none may.
    customRanges: custom.bad.length === 0 ? custom.ranges : [],
    badVersions: [...own.bad, ...custom.bad],
    isEvaluable: own.ranges.length > 0 || entry.versions.length > 0,
  };
};

interface Question {
  readonly version: string;
  readonly key: string;
  readonly isReadable: boolean;
  readonly order: VersionOrder;
}

/** Whether the list of an entry has a version, in any spelling. */
const isListed = ({ versions }: OsvAffected, { version, key, order }: Question): boolean =>
  versions.includes(version) || versions.some((listed) => versionKey(order, listed) === key);

/** Pseudo-version of Go: it names a commit, so ranges of releases say nothing about it. */
const PSEUDO_VERSION = /-(?:.*\.)?\d{14}-[0-9a-f]{12}(?:\+.*)?$/;

const evaluateEntry = (compiled: CompiledEntry, question: Question) => {
  const { version, key, isReadable } = question;
  const containing = (ranges: readonly CompiledRange[]) =>
    isReadable ? ranges.map((range) => evaluateRange(key, range)).filter(({ isAffected }) => isAffected) : [];
  const ranges = containing(compiled.ranges);
  const isNarrowed = compiled.customRanges.length > 0 && ranges.length > 0 && !PSEUDO_VERSION.test(version);
  const custom = isNarrowed ? containing(compiled.customRanges) : [];
  return {
    isAffected: (ranges.length > 0 && (!isNarrowed || custom.length > 0)) || isListed(compiled.entry, question),
    fixedVersions: [...ranges, ...custom].map(({ nextFixed }) => nextFixed),
    isConclusive:
      compiled.isEvaluable && compiled.badVersions.length === 0 && (isReadable || compiled.ranges.length === 0),
  };
};

interface CompiledRecord {
  readonly record: OsvRecord;
  readonly entries: readonly CompiledEntry[];
}

const verdictOf = ({ record, entries }: CompiledRecord, question: Question): Verdict => {
  const evaluated = entries.map((compiled) => ({ compiled, ...evaluateEntry(compiled, question) }));
  const affected = evaluated.filter(({ isAffected }) => isAffected);
  const own = question.isReadable ? [] : [question.version];
  return {
    record,
    isAffected: affected.length > 0,
    isConclusive: affected.length > 0 || evaluated.every(({ isConclusive }) => isConclusive),
    fixedVersions: unique(affected.flatMap(({ fixedVersions }) => fixedVersions)).toSorted((a, b) =>
      question.order.compare(a, b),
    ),
    badVersions: unique([...own, ...entries.flatMap(({ badVersions }) => badVersions)]),
    entries: affected.map(({ compiled }) => compiled.entry),
  };
};

/** Fixed versions of all ranges with their sort keys, ascending: no other version is known to be clean. */
const fixesOf = (records: readonly CompiledRecord[]) => {
  const ranges = records.flatMap(({ entries }) => entries.flatMap((entry) => [...entry.ranges, ...entry.customRanges]));
  const fixes = ranges.flatMap(({ events }) => events.filter(({ kind }) => kind === 'fixed'));
  const keys = new Map(fixes.map(({ version, key }) => [version, key]));
  return [...keys].map(([version, key]) => ({ version, key })).sort((a, b) => compareKeys(a.key, b.key));
};

/**
 * Advisories about a package, compiled to sort keys: a version costs a few comparisons of strings for each record. Withdrawn
 * records and those about other packages are left out.
 */
export const compilePackage = (records: readonly OsvRecord[], advised: AdvisedPackage) => {
  const { order } = advised;
  const compiled: readonly CompiledRecord[] = records
    .filter(({ withdrawn }) => withdrawn === null)
    .map((record) => ({ record, entries: record.affected.filter((entry) => isAbout(entry, advised)) }))
    .filter(({ entries }) => entries.length > 0)
    .map(({ record, entries }) => ({ record, entries: entries.map((entry) => compileEntry(entry, order)) }));

  const questionOf = (version: string): Question => ({
    version,
    key: versionKey(order, version),
    isReadable: order.isVersion(version),
    order,
  });
  /** Ranges of commits say nothing about any version; a bound that cannot be read might cover this one. */
  const isClean = (version: string): boolean => {
    const question = questionOf(version);
    return compiled.every(({ entries }) =>
      entries.every((entry) => entry.badVersions.length === 0 && !evaluateEntry(entry, question).isAffected),
    );
  };

  let fixes: ReturnType<typeof fixesOf> | undefined;
  // The same fixed versions are candidates for every component and vulnerability of a package with thousands of them.
  const cleanliness = new Map<string, boolean>();
  const isKnownClean = (version: string) => cleanliness.getOrInsertComputed(version, isClean);

  return {
    /** Verdicts of the records that affect a version or cannot be evaluated for it. */
    verdicts: (version: string): readonly Verdict[] => {
      const question = questionOf(version);
      return compiled
        .map((record) => verdictOf(record, question))
        .filter(({ isAffected, isConclusive }) => isAffected || !isConclusive);
    },
    /** Lowest fixed version above a version that no record affects; null where none is known, or the version is bad. */
    lowestCleanVersion: (version: string): string | null => {
      const { isReadable, key } = questionOf(version);
      fixes ??= fixesOf(compiled);
      const clean = isReadable ? fixes.find((fix) => fix.key > key && isKnownClean(fix.version)) : undefined;
      return clean?.version ?? null;
    },
  };
};

/** Verdict of one record on a version; undefined where it does not affect the version, and all of it was evaluated. */
export const affects = (
  record: OsvRecord,
  { version, ...advised }: AdvisedPackage & { readonly version: string },
): Verdict | undefined => compilePackage([record], advised).verdicts(version)[0];
