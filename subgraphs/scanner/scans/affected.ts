import { invalid } from '@landfall/kernel/core/fault';
import type { Query } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import Type from 'typebox';
import { publishedSeverity, severityOf } from '../advisories/severity.ts';
import { areCovered } from '../feeds/current-feeds.ts';
import { loadAdvisories } from '../feeds/package-lookup.ts';
import { osvPackagesOf } from '../packages/ecosystem.ts';
import { type Purl, PurlError, parsePurl } from '../packages/purl.ts';
import { DEFAULT_POLICY } from '../score/policy.ts';
import { SCANS_READ } from '../shared/scopes.ts';

/** @throws Fault VAL_INVALID_FORMAT naming the field */
const readPurl = (text: string): Purl => {
  try {
    return parsePurl(text);
  } catch (error) {
    if (!(error instanceof PurlError)) throw error;
    throw invalid([{ field: 'purl', message: error.message, code: 'VAL_INVALID_FORMAT' }]);
  }
};

/** Advisory that affects a version. */
export interface AffectingAdvisory {
  readonly id: string;
  readonly aliases: readonly string[];
  readonly summary: string | null;
  readonly modified: Date | null;
  /** CVSS base score times ten or the value of the vendor's word; null where nothing rates it. */
  readonly severityTenths: number | null;
  readonly fixedVersions: readonly string[];
}

interface Affected {
  /** Whether the feeds in force cover the ecosystem, and it can read the version. */
  readonly isEvaluated: boolean;
  readonly ecosystem: string | null;
  readonly advisories: readonly AffectingAdvisory[];
  /** Ids of advisories about the package that could not be evaluated for the version. */
  readonly inconclusive: readonly string[];
}

const answer = async (query: Query, purl: Purl): Promise<Affected> => {
  const packages = osvPackagesOf(purl);
  const advisoriesOf = await loadAdvisories(query, packages);
  const judged = packages.flatMap((wanted) => {
    const { version } = wanted;
    return version === null ? [] : advisoriesOf(wanted).verdicts(version);
  });
  const affecting = new Map(
    judged.filter(({ isAffected }) => isAffected).map((verdict) => [verdict.record.id, verdict]),
  );
  const unknown = judged.filter(({ record }) => !affecting.has(record.id)).map(({ record }) => record.id);
  const isReadable = packages.some(({ version, order }) => version !== null && order.isVersion(version));
  return {
    isEvaluated: affecting.size > 0 || (isReadable && (await areCovered(query, packages))),
    ecosystem: packages[0]?.ecosystem ?? null,
    advisories: [...affecting.values()].map(({ record, fixedVersions, entries }) => ({
      id: record.id,
      aliases: record.aliases,
      summary: record.summary,
      modified: record.modified === null ? null : new Date(record.modified),
      severityTenths: severityOf([{ source: '', ...publishedSeverity(record, entries) }], DEFAULT_POLICY).cvssTenths,
      fixedVersions,
    })),
    inconclusive: [...new Set(unknown)],
  };
};

/** Creates the operation that says which advisories affect a version of a package, as a query of the OSV API does. */
export const createAffected = ({ operation }: Pick<Deps, 'operation'>) =>
  operation({
    name: 'package.affected',
    kind: 'read',
    scope: SCANS_READ,
    input: Type.Object({
      purl: Type.String({ minLength: 1, maxLength: 8_192 }),
      version: Type.Optional(Type.String({ minLength: 1, maxLength: 1_024 })),
    }),
    example: { purl: 'pkg:npm/lodash@4.17.20' },
    run: async (_who, { purl, version }, query) => {
      const named = readPurl(purl);
      return answer(query, version === undefined ? named : { ...named, version });
    },
  });
