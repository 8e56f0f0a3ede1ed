import assert from 'node:assert/strict';
import type * as model from '../model/entities.model.ts';
import * as promotionModel from '../model/promotions.model.ts';
import type { Choices } from './choices.fixture.ts';
import type { Images, Tenant } from './walked-tenant.fixture.ts';

export const NAMES = ['shop', 'pay', 'stock'] as const;

export const TAGS = ['1', '2', '3', '4', '5', '6'] as const;

export const REPOSITORIES = ['shop/web', 'shop/api', 'other/web'] as const;

export const LABELS: readonly model.Labels[] = [{}, { ring: '1' }, { ring: '2' }, { ring: '1', region: 'eu' }];

export const other = `sha256:${'f'.repeat(64)}`;

export type Subject = model.Product | model.Target;

/** Step of the walk: an operation, the code that the model expects, and whose rows it may change. */
export interface Act {
  readonly summary: string;
  readonly expected: model.Code;
  readonly touches: readonly (Subject | null)[];
  call(): Promise<unknown>;
  /** Learns the ids of what was created. */
  made?(value: unknown): void;
}

const idOf = (value: unknown): string => String(Reflect.get(Object(value), 'id'));

export const learn =
  (entity: { id: string } | undefined) =>
  (value: unknown): void => {
    assert.ok(entity);
    entity.id = idOf(value);
  };

export const labelPairs = (labels: model.Labels) => Object.entries(labels).map(([name, value]) => ({ name, value }));

export const reason = 'Because the model says so.';

export type Maker = (tenant: Tenant, choices: Choices, images: Images) => Act | undefined;

/** Version to send, which is sometimes not the one that is there. */
export const versionOf = ({ versions }: Tenant, { id }: { readonly id: string }, isStale: boolean): number =>
  (versions.get(id) ?? 1) + (isStale ? 7 : 0);

export const openOf = ({ known }: Tenant, ...states: readonly model.Promotion['state'][]): model.Promotion[] =>
  known.promotions.filter(({ state }) => states.includes(state));

export const acknowledgements = ({ known }: Tenant, choices: Choices, release: model.Release): model.Deployment[] =>
  choices.once(4) ? [] : promotionModel.adverseOutcomes(known, release);

export const describePromotion = ({ release, environment }: model.Promotion): string =>
  `${release.product.name} ${release.semver} to ${environment.orderIndex}`;
