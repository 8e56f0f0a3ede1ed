import type { Deps } from '@landfall/kernel/module';
import { oneOf } from '@landfall/kernel/operation/input';
import Type, { type Static } from 'typebox';
import * as environments from '../../catalogue/environments/environment.ts';
import * as products from '../../catalogue/products/product.ts';
import { nextActorOf } from '../../running/deployments/next-actor.ts';
import { type Labels, labelsInput, labelsOf } from '../../shared/labels.ts';
import { reads } from '../../shared/scopes.ts';
import * as store from './portfolio.store.ts';
import { type ProductState, productStates, statesOf, urgencyOf } from './product-states.ts';

/** Limit of rows in an answer. */
const MAX_ROWS = 1_000;
/** Limit of products that are counted, filtered and ordered. */
const MAX_PRODUCTS = 10_000;

/** A product in an environment of its path, with its states. */
export interface PortfolioCell extends store.CellRow {
  readonly states: readonly ProductState[];
  /** The newest deployment, while it is under way or once it has failed. */
  readonly unsettled: UnsettledDeployment | null;
  /** The newest promotion that waits. */
  readonly promotion: WaitingPromotion | null;
}

export interface UnsettledDeployment {
  readonly id: NonNullable<store.CellRow['newestDeploymentId']>;
  readonly semver: string;
  readonly status: NonNullable<store.CellRow['newestStatus']>;
  readonly waitsFor: ReturnType<typeof nextActorOf>;
}

export interface WaitingPromotion {
  readonly id: NonNullable<store.CellRow['promotionId']>;
  readonly releaseId: NonNullable<store.CellRow['promotionReleaseId']>;
  readonly semver: string;
  readonly state: NonNullable<store.CellRow['promotionState']>;
  /** Promotions that wait beside it. */
  readonly others: number;
}

export interface PortfolioRow {
  readonly product: products.Product;
  /** Cells of the product's path, in the order of the environments. */
  readonly cells: readonly PortfolioCell[];
}

export interface Portfolio {
  /** Environments of the tenant, in order. */
  readonly environments: readonly environments.Environment[];
  readonly rows: readonly PortfolioRow[];
  /** Products that match the filter. */
  readonly productCount: number;
  /** Number of them that need a person. */
  readonly urgentCount: number;
  /** Products of the tenant, for the values that a filter can have. */
  readonly choices: readonly products.Product[];
}

const promotionOf = (row: store.CellRow): WaitingPromotion | null => {
  const { promotionId: id, promotionReleaseId: releaseId, promotionSemver: semver, promotionState: state } = row;
  if (id === null || releaseId === null || semver === null || state === null) return null;
  return { id, releaseId, semver, state, others: row.pending + row.approved - 1 };
};

const cellOf = (row: store.CellRow): PortfolioCell => {
  const { newestDeploymentId: id, newestSemver: semver, newestStatus: status, pauseReason, nextCheckAt } = row;
  const newest = status && { state: status, pauseReason, nextCheckAt };
  const waitsFor = newest && nextActorOf(newest);
  const states = statesOf({ estate: row.state, newest, promotions: row.pending + row.approved });
  const isUnsettled = waitsFor !== null || states.includes('failed');
  return {
    ...row,
    states,
    unsettled: isUnsettled && id && semver && status ? { id, semver, status, waitsFor } : null,
    promotion: promotionOf(row),
  };
};

const urgency = ({ cells }: PortfolioRow): number | undefined => urgencyOf(cells.flatMap(({ states }) => states));

/** Sorts products that need a person first, the most urgent first; the others keep their order. */
const byUrgency = (rows: readonly PortfolioRow[]): PortfolioRow[] =>
  rows
    .map((row) => ({ row, rank: urgency(row) ?? productStates.length }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ row }) => row);

const page = Type.Object({
  ownerGroup: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  labels: Type.Optional(labelsInput),
  state: Type.Optional(oneOf(...productStates)),
  orderBy: Type.Optional(oneOf('name', 'urgency')),
  first: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_ROWS })),
  skip: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_PRODUCTS })),
});

/** Page of the rows in one state or in any. Filter and order go over all rows, so that no page hides an urgent one. */
const pageOf = (
  rows: readonly PortfolioRow[],
  { state, orderBy = 'name', first = MAX_ROWS, skip = 0 }: Static<typeof page>,
) => {
  const found = rows.filter(({ cells }) => state === undefined || cells.some(({ states }) => states.includes(state)));
  return {
    rows: (orderBy === 'urgency' ? byUrgency(found) : found).slice(skip, skip + first),
    productCount: found.length,
    urgentCount: found.filter((row) => urgency(row) !== undefined).length,
  };
};

/** Lists the pairs of name and value that any product has. */
export const labelsOfAny = (all: readonly { readonly labels: Labels }[]) => [
  ...new Map(
    all.flatMap(({ labels }) =>
      Object.entries(labels).map(([name, value]) => [JSON.stringify([name, value]), { name, value }] as const),
    ),
  )
    .values()
    .toArray()
    .toSorted((a, b) => (`${a.name}=${a.value}` < `${b.name}=${b.value}` ? -1 : 1)),
];

/** Creates the operation that reads all products with what runs in each environment of their paths. */
export const createPortfolio = ({ operation }: Pick<Deps, 'operation'>) => ({
  get: operation({
    name: 'product.portfolio',
    cost: 200,
    kind: 'read',
    scope: reads,
    input: page,
    example: { ownerGroup: 'payments' },
    async run(who, input, query): Promise<Portfolio> {
      const { ownerGroup, labels = [] } = input;
      const wanted = { ownerGroup: ownerGroup ?? null, labels: labelsOf(labels) };
      const filter = { labels: wanted.labels, ...(ownerGroup !== undefined && { ownerGroup }) };
      const listed = await products.list(query, who.tenant, filter, { limit: MAX_PRODUCTS });
      const isFiltered = ownerGroup !== undefined || labels.length > 0;
      const cells = Map.groupBy(await store.listCells(query, who.tenant, wanted), ({ productId }) => productId);
      const rows = listed.map((product) => ({ product, cells: (cells.get(product.id) ?? []).map(cellOf) }));
      return {
        environments: await environments.list(query, who.tenant),
        ...pageOf(rows, input),
        choices: isFiltered ? await products.list(query, who.tenant, {}, { limit: MAX_PRODUCTS }) : listed,
      };
    },
  }),
});
