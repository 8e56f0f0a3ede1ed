import { exampleId, type TenantId } from '@landfall/kernel/core/ids';
import type { Query } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import { type Forges, listForges } from '../catalogue/integrations/forges.ts';
import { listSources } from '../evidence/images/image-statements.ts';
import { reads } from '../shared/scopes.ts';
import { createCommitReader, type RepositoryCommits } from './commits.ts';
import { type Comparison, comparisonOf } from './comparison.ts';
import { type Pair, readSides, type SideKey } from './side.ts';
import { expectNamed, expectProducts, type PairInput, pairInput, sideKeys } from './side-input.ts';
import { findRules } from './ticket-rules.ts';
import { type Found, findTickets } from './tickets.ts';

/** Commits between two sides, and the tickets in them. */
interface ReleaseCommits extends Found {
  readonly repositories: readonly RepositoryCommits[];
}

/** Compares these pairs of sides in at most ten statements; throws Fault RES_RELEASE_NOT_FOUND. */
export const listComparisons = async (
  query: Query,
  tenant: TenantId,
  pairs: readonly Pair<SideKey>[],
): Promise<Comparison[]> => {
  const sides = await readSides(query, tenant, pairs);
  const releases = [
    ...new Set(sides.flatMap(({ from, to }) => [from, to].flatMap(({ release }) => release?.id ?? []))),
  ];
  const surroundings = {
    sources: releases.length === 0 ? [] : await listSources(query, tenant, releases),
    forges: await listForges(query, tenant),
  };
  return sides.map((pair) => comparisonOf(pair, surroundings));
};

const compare = async (query: Query, tenant: TenantId, input: PairInput): Promise<Comparison> => {
  const keys = sideKeys(input);
  await expectNamed(query, tenant, input);
  const [comparison] = await listComparisons(query, tenant, [keys]);
  if (!comparison) throw new TypeError('two sides have no comparison');
  expectProducts(input, comparison);
  return comparison;
};

const raises = ['RES_RELEASE_NOT_FOUND', 'RES_ENVIRONMENT_NOT_FOUND', 'RES_NOT_FOUND'] as const;

const example = {
  from: { productId: exampleId('Product'), environmentId: exampleId('Environment') },
  to: { releaseId: exampleId('Release') },
};

interface ComparisonDeps extends Pick<Deps, 'operation' | 'database'> {
  readonly forges: Pick<Forges, 'commits'>;
}

/** Creates the operations that compare releases, and what runs in environments. */
export const createComparisons = ({ operation, database, forges }: ComparisonDeps) => {
  const commits = createCommitReader({ database, forges });
  return {
    compare: operation({
      name: 'release.compare',
      cost: 100,
      kind: 'read',
      scope: reads,
      input: pairInput,
      raises,
      example,
      run: (caller, input, query) => compare(query, caller.tenant, input),
    }),

    /** Lists commits and tickets. A forge that fails leaves its commits unknown, and fails nothing else. */
    commits: operation({
      name: 'release.listCommits',
      cost: 500,
      isRemote: true,
      kind: 'read',
      isDetached: true,
      scope: reads,
      input: pairInput,
      raises,
      example,
      async run(caller, input): Promise<ReleaseCommits> {
        const { comparison, rules, saved } = await database.read(caller.tenant, async (query) => {
          const found = await compare(query, caller.tenant, input);
          return {
            comparison: found,
            rules: await findRules(query, caller.tenant, found.to.productId),
            saved: await listForges(query, caller.tenant),
          };
        });
        const repositories = await commits.read(caller, comparison.components.changes, saved);
        const { tickets, isComplete } = findTickets(repositories, rules);
        // Components of two products have no common history, so the commits between them are unknown.
        const isSameProduct = comparison.from.productId === comparison.to.productId;
        return { repositories, tickets, isComplete: isComplete && isSameProduct };
      },
    }),
  };
};
