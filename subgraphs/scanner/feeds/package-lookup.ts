import type { Query } from '@landfall/kernel/db/query';
import type { OsvRecord } from '../advisories/osv-record.ts';
import { compilePackage } from '../advisories/package-advisories.ts';
import { ecosystemKey, type OsvPackage, packageNameKey } from '../packages/ecosystem.ts';
import { inSteps, runInTurns } from '../shared/steps.ts';
import * as store from './advisories.store.ts';

/** Advisories about one package, compiled, with the alias group of each. */
export interface PackageAdvisories extends ReturnType<typeof compilePackage> {
  groupOf(advisoryId: string): bigint;
}

/** Packages whose advisories one statement reads. */
const BATCH = 500;

/** Keys under which advisories about a package are stored: of its release, and of every release. */
export const packageKeysOf = ({
  ecosystem,
  packageName,
}: Pick<OsvPackage, 'ecosystem' | 'packageName'>): store.PackageKey[] => {
  const whole = ecosystemKey(ecosystem);
  const family = whole.split(':', 1)[0] ?? whole;
  const name = packageNameKey(whole, packageName);
  return family === whole
    ? [{ ecosystem: whole, packageName: name }]
    : [
        { ecosystem: whole, packageName: name },
        { ecosystem: family, packageName: name },
      ];
};

const textOf = ({ ecosystem, packageName }: store.PackageKey): string => `${ecosystem}\n${packageName}`;

/** Records as the rules read them; an advisory that is stored under two keys is one record. */
const recordsOf = (rows: readonly store.AdvisedPackage[]): OsvRecord[] => {
  const records = new Map<string, OsvRecord>();
  for (const { head, entries } of rows)
    records.set(head.id, { details: null, ...head, affected: [...(records.get(head.id)?.affected ?? []), ...entries] });
  return [...records.values()];
};

/** Lists advisories about Go modules, with their entries about these modules; withdrawn ones are left out. */
export const listGoAdvisories = async (query: Query, modules: readonly string[]): Promise<OsvRecord[]> => {
  const keys = [...new Set(modules.map((module) => packageNameKey('Go', module)))].map((packageName) => ({
    ecosystem: 'Go',
    packageName,
  }));
  const rows: store.AdvisedPackage[] = [];
  for (let at = 0; at < keys.length; at += BATCH)
    rows.push(...(await store.listAbout(query, keys.slice(at, at + BATCH))));
  return recordsOf(rows).filter(({ withdrawn }) => withdrawn === null);
};

/** Rows of advisories by the key of their package. */
type AdvisoryRows = ReadonlyMap<string, readonly store.AdvisedPackage[]>;

/** Reads the advisories of packages, each package once. */
export const readAdvisories = async (query: Query, packages: readonly OsvPackage[]): Promise<AdvisoryRows> => {
  const byText = new Map<string, store.PackageKey>();
  const collected = inSteps(packages, (wanted) => {
    for (const key of packageKeysOf(wanted)) byText.set(textOf(key), key);
  });
  await runInTurns(collected);
  const keys = [...byText.values()];
  const rows = new Map<string, store.AdvisedPackage[]>();
  for (let at = 0; at < keys.length; at += BATCH)
    for (const row of await store.listAbout(query, keys.slice(at, at + BATCH))) {
      const key = textOf(row);
      const known = rows.get(key);
      if (known) known.push(row);
      else rows.set(key, [row]);
    }
  return rows;
};

/** Creates the function from a package to its advisories, which are compiled once. */
export const compileAdvisories = (rows: AdvisoryRows): ((wanted: OsvPackage) => PackageAdvisories) => {
  const compiled = new Map<string, PackageAdvisories>();
  return (wanted) => {
    const key = textOf(wanted);
    const known = compiled.get(key);
    if (known) return known;
    const about = packageKeysOf(wanted).flatMap((each) => rows.get(textOf(each)) ?? []);
    const groups = new Map(about.map(({ head, aliasGroup }) => [head.id, aliasGroup]));
    const made = { ...compilePackage(recordsOf(about), wanted), groupOf: (id: string) => groups.get(id) ?? 0n };
    compiled.set(key, made);
    return made;
  };
};

/** Loads the advisories of packages. Returns a function from a package to its advisories. */
export const loadAdvisories = async (query: Query, packages: readonly OsvPackage[]) =>
  compileAdvisories(await readAdvisories(query, packages));
