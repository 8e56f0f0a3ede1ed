import type { Who } from '@landfall/kernel/core/caller';
import { exampleId, type Id, idOf } from '@landfall/kernel/core/ids';
import { isDigest } from '@landfall/kernel/crypto/digest';
import type { Query } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import { digest, oneOf } from '@landfall/kernel/operation/input';
import { pageFields, pageOf } from '@landfall/kernel/operation/page';
import Type from 'typebox';
import * as environments from '../../catalogue/environments/environment.ts';
import * as releases from '../../catalogue/releases/release.ts';
import { listCurrentOfAll } from '../../running/deployments/deployment.ts';
import { anyDigest } from '../../shared/input.ts';
import { reads, readsReleases } from '../../shared/scopes.ts';
import { type Deviation, listActive } from './accepted-deviations.store.ts';
import { createDeviations } from './accepted-deviations.ts';
import * as store from './estate.store.ts';
import { estateStates } from './estate-rule.ts';
import { decodePosition, encodePosition } from './position.ts';
import * as carried from './releases-on-targets.store.ts';

export const { estate, worst } = store;
export const { listReleases: listReleasesOnTargets, listStates, listStatesOfProducts, listUnsettled } = carried;

/** Whole estate of the caller's tenant; each of its fields is read when selected. */
export type EstateRoot = Readonly<Record<never, never>>;

/** Image or another artifact, by its digest. */
export interface ArtifactDigest {
  readonly digest: string;
}

/** Component on a target: its approved digest, its observed digest, and the resulting state. */
export interface EstateComponent extends store.ComponentRow {
  /** Accepted deviation of this drift; null too if the caller may not read it (spec 5.10). */
  readonly deviation: Deviation | null;
}

/** Components that run a digest, and the releases with it. */
export interface DigestLocations extends ArtifactDigest {
  readonly locations: readonly EstateComponent[];
  readonly releases: readonly releases.Release[];
}

export interface EnvironmentMatrix {
  /** Environments in the order of the promotion path. */
  readonly environments: readonly environments.Environment[];
  /** One row for each component of a product, one cell for each environment in the same order. */
  readonly rows: readonly MatrixRow[];
}

export interface MatrixRow {
  readonly productId: Id<'Product'> | null;
  readonly component: string;
  readonly cells: readonly MatrixCell[];
}

export interface MatrixCell extends Omit<store.MatrixCell, 'productId' | 'component' | 'environmentId'> {
  readonly environment: environments.Environment;
}

const filter = Type.Object({
  productId: Type.Optional(idOf('Product')),
  environmentId: Type.Optional(idOf('Environment')),
  component: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  state: Type.Optional(oneOf(...estateStates)),
});

/** Digests of one page: far more than one of a list of entities, since a digest is 71 characters. */
const MAX_RUNNING = 5_000;

const nothing: Omit<MatrixCell, 'environment'> = {
  releaseId: null,
  deploymentId: null,
  digest: null,
  deployedAt: null,
  state: null,
  targets: 0,
  elsewhere: 0,
};

const expectEnvironment = async (query: Query, caller: Who, { environmentId }: store.EstateFilter): Promise<void> => {
  if (environmentId) await environments.get(query, caller.tenant, environmentId);
};

/** Adds accepted deviations to rows that drift, if the caller may read all of them. */
const withDeviations = async <Row extends store.ComponentRow>(query: Query, caller: Who, rows: readonly Row[]) => {
  const drifting = rows.filter(({ state }) => state === 'drift').map(({ targetId }) => targetId);
  const mayRead = reads.some((scope) => caller.scopes.has(scope));
  const accepted = mayRead && drifting.length > 0 ? await listActive(query, caller.tenant, drifting) : [];
  const deviationOf = ({ targetId, component, state, observedDigest }: store.ComponentRow): Deviation | undefined =>
    accepted.find(
      (each) =>
        state === 'drift' &&
        each.targetId === targetId &&
        each.component === component &&
        each.digest === observedDigest,
    );
  return rows.map((row) => ({ ...row, deviation: deviationOf(row) ?? null }));
};

/** Lists the components that run each of these digests. */
export const listLocations = async (
  query: Query,
  caller: Who,
  artifacts: readonly ArtifactDigest[],
): Promise<readonly (readonly EstateComponent[])[]> => {
  const digests = [...new Set(artifacts.map(({ digest: named }) => named))];
  const rows = await withDeviations(query, caller, await store.listByDigests(query, caller.tenant, digests));
  const byDigest = Map.groupBy(rows, ({ digest: named }) => named);
  return artifacts.map(({ digest: named }) => byDigest.get(named) ?? []);
};

/** Creates the operations on the estate: observed against approved state of every target. */
export const createEstate = (deps: Deps) => {
  const { operation } = deps;
  return {
    status: operation({
      name: 'estate.status',
      kind: 'read',
      scope: readsReleases,
      input: Type.Object({}),
      run: (caller, _input, query) => store.countAll(query, caller.tenant),
    }),

    /** Lists components that are not in sync, or in the given state: unobserved first, then drift. */
    drift: operation({
      name: 'estate.drift',
      kind: 'read',
      scope: readsReleases,
      input: Type.Object({ ...pageFields, filter: Type.Optional(filter) }),
      raises: ['RES_ENVIRONMENT_NOT_FOUND'],
      example: { filter: { environmentId: exampleId('Environment') } },
      async run(caller, { first = 50, after, filter: requested = {} }, query) {
        const position = after === undefined ? undefined : decodePosition(after);
        await expectEnvironment(query, caller, requested);
        const rows = await store.list(query, caller.tenant, requested, { limit: first + 1, after: position });
        const { items, hasNextPage } = pageOf(rows, first);
        const last = hasNextPage ? items.at(-1) : undefined;
        return {
          items: await withDeviations(query, caller, items),
          hasNextPage,
          nextCursor: last ? encodePosition(last) : null,
        };
      },
    }),

    count: operation({
      name: 'estate.count',
      kind: 'read',
      scope: readsReleases,
      input: Type.Object({ filter: Type.Optional(filter) }),
      raises: ['RES_ENVIRONMENT_NOT_FOUND'],
      example: { filter: { environmentId: exampleId('Environment') } },
      async run(caller, { filter: requested = {} }, query) {
        await expectEnvironment(query, caller, requested);
        return store.countMatching(query, caller.tenant, requested);
      },
    }),

    digest: operation({
      name: 'estate.digest',
      kind: 'read',
      scope: readsReleases,
      input: Type.Object({ digest }),
      example: { digest: anyDigest },
      async run(caller, { digest: requested }, query): Promise<DigestLocations> {
        if (!isDigest(requested)) throw new TypeError('the input schema lets digests through only');
        const rows = await store.listByDigest(query, caller.tenant, requested);
        return {
          digest: requested,
          locations: await withDeviations(query, caller, rows),
          releases: await releases.listByDigest(query, caller.tenant, requested),
        };
      },
    }),

    /** Lists digests that run now; each page ends with the digest that the next one follows. */
    running: operation({
      name: 'estate.listRunning',
      kind: 'read',
      scope: readsReleases,
      input: Type.Object({
        first: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_RUNNING })),
        after: Type.Optional(digest),
      }),
      example: { first: 10 },
      async run(caller, { first = MAX_RUNNING, after }, query) {
        const rows = await store.listRunning(query, caller.tenant, { limit: first + 1, after });
        return pageOf(
          rows.map(({ digest: running }) => running),
          first,
        );
      },
    }),

    map: operation({
      name: 'estate.map',
      kind: 'read',
      scope: reads,
      input: Type.Object({}),
      run: (caller, _input, query) => store.listCells(query, caller.tenant),
    }),

    matrix: operation({
      name: 'estate.matrix',
      kind: 'read',
      scope: reads,
      input: Type.Object({}),
      async run(caller, _input, query): Promise<EnvironmentMatrix> {
        const path = await environments.list(query, caller.tenant);
        const current = await listCurrentOfAll(query, caller.tenant);
        const deploymentIds = current.map(({ id }) => id);
        const matrix = await store.listMatrix(query, caller.tenant, deploymentIds);
        const byComponent = Map.groupBy(matrix, ({ productId, component }) => `${productId}/${component}`);
        const rows = [...byComponent.values()].map((cells) => ({
          productId: cells[0]?.productId ?? null,
          component: cells[0]?.component ?? '',
          cells: path.map((environment) => ({
            ...nothing,
            ...cells.find(({ environmentId }) => environmentId === environment.id),
            environment,
          })),
        }));
        return { environments: path, rows };
      },
    }),

    ...createDeviations(deps),
  };
};
