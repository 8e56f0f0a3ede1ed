import type { ProductPlaceFragment } from '../../generated/operations.ts';

/** States of a product in an environment, the most urgent first. */
export const PLACE_STATES = ['FAILED', 'DRIFT', 'UNOBSERVED', 'WAITING', 'UNDER_WAY', 'IN_SYNC'] as const;

export type PlaceState = (typeof PLACE_STATES)[number];

/** States that need a person. */
const URGENT: ReadonlySet<PlaceState> = new Set(['FAILED', 'DRIFT', 'UNOBSERVED', 'WAITING']);

const FAILED: ReadonlySet<string> = new Set(['FAILED', 'ROLLBACK_FAILED']);
const ENDED: ReadonlySet<string> = new Set(['COMPLETED', 'CANCELLED', 'ROLLED_BACK', ...FAILED]);

type Place = Pick<ProductPlaceFragment, 'state' | 'newestDeployment' | 'promotions'>;
type Deployment = NonNullable<ProductPlaceFragment['newestDeployment']>;

/** Newest deployment, if it failed. */
export const failedDeployment = ({ newestDeployment }: Pick<Place, 'newestDeployment'>): Deployment | undefined =>
  newestDeployment !== null && FAILED.has(newestDeployment.status) ? newestDeployment : undefined;

/** Newest deployment, if it has not ended. */
export const activeDeployment = ({ newestDeployment }: Pick<Place, 'newestDeployment'>): Deployment | undefined =>
  newestDeployment === null || ENDED.has(newestDeployment.status) ? undefined : newestDeployment;

/** States of a product in an environment, the most urgent first; none where nothing is and nothing waits. */
export function placeStates(place: Place): PlaceState[] {
  const active = activeDeployment(place);
  const found: Readonly<Record<PlaceState, boolean>> = {
    FAILED: failedDeployment(place) !== undefined,
    DRIFT: place.state === 'DRIFT',
    UNOBSERVED: place.state === 'UNOBSERVED',
    WAITING: active?.status === 'PAUSED' || place.promotions.length > 0,
    UNDER_WAY: active !== undefined && active.status !== 'PAUSED',
    IN_SYNC: place.state === 'IN_SYNC',
  };
  return PLACE_STATES.filter((state) => found[state]);
}

interface Product {
  readonly environments: readonly Place[];
}

/** Most urgent state of a product in any environment; undefined where nothing of it is anywhere. */
export const worstState = ({ environments }: Product): PlaceState | undefined => {
  const states = new Set(environments.flatMap((place) => placeStates(place)));
  return PLACE_STATES.find((state) => states.has(state));
};

export const needsPerson = (product: Product): boolean => {
  const worst = worstState(product);
  return worst !== undefined && URGENT.has(worst);
};

/** Products that need a person first, the most urgent state first; the others keep their order. */
export function byUrgency<P extends Product>(products: readonly P[]): P[] {
  const rank = (product: P): number => {
    const worst = worstState(product);
    return worst !== undefined && URGENT.has(worst) ? PLACE_STATES.indexOf(worst) : PLACE_STATES.length;
  };
  return products
    .map((product) => ({ product, rank: rank(product) }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ product }) => product);
}
