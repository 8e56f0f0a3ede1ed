import { type FieldFault, invalid } from '@landfall/kernel/core/fault';
import { idOf, type TenantId } from '@landfall/kernel/core/ids';
import type { Query } from '@landfall/kernel/db/query';
import Type, { type Static } from 'typebox';
import * as environments from '../catalogue/environments/environment.ts';
import * as products from '../catalogue/products/product.ts';
import type { Pair, Side, SideKey } from './side.ts';

/** Side as people give it: a release, or a product in an environment. */
const sideInput = Type.Object({
  releaseId: Type.Optional(idOf('Release')),
  productId: Type.Optional(idOf('Product')),
  environmentId: Type.Optional(idOf('Environment')),
});

export const pairInput = Type.Object({ from: sideInput, to: sideInput });

type SideInput = Static<typeof sideInput>;
export type PairInput = Static<typeof pairInput>;

const sideOf = ({ releaseId, productId, environmentId }: SideInput): SideKey | string => {
  if (releaseId !== undefined) return { kind: 'release', releaseId, environmentId };
  if (productId !== undefined && environmentId !== undefined) return { kind: 'place', productId, environmentId };
  if (productId !== undefined) return 'environmentId';
  return environmentId === undefined ? 'releaseId' : 'productId';
};

const FORMS = 'a side is a release, or a product and an environment';

/** Converts the input of two sides; throws Fault VAL_REQUIRED_FIELD for a side that names too little. */
export const sideKeys = ({ from, to }: PairInput): Pair<SideKey> => {
  const [one, other] = [sideOf(from), sideOf(to)];
  if (typeof one !== 'string' && typeof other !== 'string') return { from: one, to: other };
  const fault = (side: string, missing: SideKey | string): FieldFault[] =>
    typeof missing === 'string'
      ? [{ field: `${side}.${missing}`, message: `is required: ${FORMS}`, code: 'VAL_REQUIRED_FIELD' }]
      : [];
  const [first, ...rest] = [...fault('from', one), ...fault('to', other)];
  if (!first) throw new TypeError('a side is neither whole nor incomplete');
  throw invalid([first, ...rest]);
};

/**
 * Refuses unknown products and environments.
 * @throws Fault RES_NOT_FOUND, RES_ENVIRONMENT_NOT_FOUND
 */
export const expectNamed = async (query: Query, tenant: TenantId, { from, to }: PairInput): Promise<void> => {
  const input = [from, to];
  const productIds = [...new Set(input.flatMap(({ productId }) => productId ?? []))];
  const environmentIds = [...new Set(input.flatMap(({ environmentId }) => environmentId ?? []))];
  const knownProducts = productIds.length === 0 ? [] : await products.listByIds(query, tenant, productIds);
  const knownEnvironments =
    environmentIds.length === 0 ? [] : await environments.listByIds(query, tenant, environmentIds);
  const product = productIds.find((id) => !knownProducts.some((known) => known.id === id));
  if (product) throw products.notFound(product);
  const environment = environmentIds.find((id) => !knownEnvironments.some((known) => known.id === id));
  if (environment) throw environments.notFound(environment);
};

/** Refuses a release that belongs to another product than the input says. */
export const expectProducts = (input: PairInput, sides: Pair<Side>): void => {
  const faults = (['from', 'to'] as const).flatMap((side): FieldFault[] => {
    const { releaseId, productId } = input[side];
    const own = sides[side].productId;
    return releaseId === undefined || productId === undefined || productId === own
      ? []
      : [
          {
            field: `${side}.productId`,
            message: `is not the product of the release, ${own}`,
            code: 'VAL_INVALID_VALUE',
          },
        ];
  });
  const [first, ...rest] = faults;
  if (first) throw invalid([first, ...rest]);
};
