import { exampleId, type TenantId } from '@landfall/kernel/core/ids';
import type { Query } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import { reads } from '../shared/scopes.ts';
import { type Comparison, comparisonOf } from './comparison.ts';
import { type Pair, readSides, type SideKey } from './side.ts';
import { expectNamed, expectProducts, pairInput, sideKeys } from './side-input.ts';

/** Compares these pairs of sides in a fixed number of statements; throws Fault RES_RELEASE_NOT_FOUND. */
export const listComparisons = async (
  query: Query,
  tenant: TenantId,
  pairs: readonly Pair<SideKey>[],
): Promise<Comparison[]> => (await readSides(query, tenant, pairs)).map(comparisonOf);

/** Creates the operations that compare releases, and what runs in environments. */
export const createComparisons = ({ operation }: Pick<Deps, 'operation'>) => ({
  compare: operation({
    name: 'release.compare',
    cost: 100,
    kind: 'read',
    scope: reads,
    input: pairInput,
    raises: ['RES_RELEASE_NOT_FOUND', 'RES_ENVIRONMENT_NOT_FOUND', 'RES_NOT_FOUND'],
    example: {
      from: { productId: exampleId('Product'), environmentId: exampleId('Environment') },
      to: { releaseId: exampleId('Release') },
    },
    async run(who, given, query) {
      const keys = sideKeys(given);
      await expectNamed(query, who.tenant, given);
      const [comparison] = await listComparisons(query, who.tenant, [keys]);
      if (!comparison) throw new TypeError('two sides have no comparison');
      expectProducts(given, comparison);
      return comparison;
    },
  }),
});
