import type { TenantId } from '@landfall/kernel/core/ids';
import type { Query } from '@landfall/kernel/db/query';
import type { EnvironmentId } from '../catalogue/environments/environment.ts';
import type { ProductId } from '../catalogue/products/product.ts';
import * as releases from '../catalogue/releases/release.ts';
import * as variableSets from '../catalogue/variables/variable-sets.ts';
import * as deployments from '../running/deployments/deployment.ts';

type DeploymentId = deployments.Deployment['id'];

/** Side of a comparison as the caller names it. */
export type SideKey =
  /** A release; with an environment, as it would be launched there. */
  | {
      readonly kind: 'release';
      readonly releaseId: releases.ReleaseId;
      readonly environmentId?: EnvironmentId | undefined;
    }
  /** The release that a product's current deployment runs in an environment. */
  | { readonly kind: 'place'; readonly productId: ProductId; readonly environmentId: EnvironmentId }
  /** The release that a deployment deploys. */
  | { readonly kind: 'deployment'; readonly deployment: deployments.Deployment }
  /** The release that ran in the place of a deployment when it was launched. */
  | { readonly kind: 'before'; readonly deployment: deployments.Deployment };

/** Side of a comparison. Nothing runs there where `release` is undefined. */
export interface Side {
  readonly release: releases.Release | undefined;
  readonly productId: ProductId;
  readonly environmentId: EnvironmentId | undefined;
  /** Deployment that runs the release, or ran it. */
  readonly deployment: deployments.Deployment | undefined;
  /** Variables of the environment; null where no environment is compared, or it has none. */
  readonly variableSet: variableSets.VariableSet | null;
}

/** Pair of sides. */
export interface Pair<Value> {
  readonly from: Value;
  readonly to: Value;
}

const productEnvironmentKey = (productId: string, environmentId: string): string => `${productId}/${environmentId}`;
const versionKey = (environmentId: string, version: number): string => `${environmentId}/${version}`;

/** Deployments that the keys are about, by key. */
const deploymentsOf = async (query: Query, tenant: TenantId, keys: readonly SideKey[]) => {
  const running = keys.flatMap((key) => (key.kind === 'place' ? [key] : []));
  const replacedIds = keys.flatMap((key) => (key.kind === 'before' ? [key.deployment.id] : []));
  const current = new Map(
    (running.length === 0 ? [] : await deployments.listCurrentIn(query, tenant, running)).map((row) => [
      productEnvironmentKey(row.productId, row.environmentId),
      row,
    ]),
  );
  const previous = new Map<DeploymentId, DeploymentId>(
    (replacedIds.length === 0 ? [] : await deployments.listPrevious(query, tenant, replacedIds)).map(
      ({ id, previousId }) => [id, previousId],
    ),
  );
  const found = previous.size === 0 ? [] : await deployments.listByIds(query, tenant, [...new Set(previous.values())]);
  const byId = new Map(found.map((row) => [row.id, row]));
  return (key: SideKey): deployments.Deployment | undefined => {
    if (key.kind === 'release') return undefined;
    if (key.kind === 'place') return current.get(productEnvironmentKey(key.productId, key.environmentId));
    if (key.kind === 'deployment') return key.deployment;
    const previousId = previous.get(key.deployment.id);
    return previousId && byId.get(previousId);
  };
};

const environmentOf = (key: SideKey): EnvironmentId | undefined =>
  key.kind === 'deployment' || key.kind === 'before' ? key.deployment.environmentId : key.environmentId;

/** Variables of sides: the version that a deployment recorded; of a release, the newest of the environment. */
const variablesOf = async (
  query: Query,
  tenant: TenantId,
  recorded: readonly deployments.Deployment[],
  environments: readonly EnvironmentId[],
) => {
  const versions = recorded.flatMap(({ environmentId, variableSetVersion: version }) =>
    version === null ? [] : [{ environmentId, version }],
  );
  const old = versions.length === 0 ? [] : await variableSets.listVersions(query, tenant, versions);
  const newest = environments.length === 0 ? [] : await variableSets.listNewest(query, tenant, environments);
  const ofVersion = new Map(old.map((set) => [versionKey(set.environmentId, set.version), set]));
  const ofEnvironment = new Map<string, variableSets.VariableSet>(newest.map((set) => [set.environmentId, set]));
  return {
    recorded: ({ environmentId, variableSetVersion: version }: deployments.Deployment) =>
      (version === null ? undefined : ofVersion.get(versionKey(environmentId, version))) ?? null,
    newest: (environmentId: EnvironmentId | undefined) =>
      (environmentId === undefined ? undefined : ofEnvironment.get(environmentId)) ?? null,
  };
};

/** Environment whose newest variables a release is compared with: its own, else that of the other side. */
const launchEnvironment = (own: SideKey, other: SideKey): EnvironmentId | undefined =>
  own.kind === 'release' ? (environmentOf(own) ?? environmentOf(other)) : undefined;

/**
 * Reads the sides of these pairs in at most eight statements, however many there are.
 * @throws Fault RES_RELEASE_NOT_FOUND
 */
export const readSides = async (
  query: Query,
  tenant: TenantId,
  pairs: readonly Pair<SideKey>[],
): Promise<Pair<Side>[]> => {
  const keys = pairs.flatMap(({ from, to }) => [from, to]);
  const deploymentOf = await deploymentsOf(query, tenant, keys);
  const releaseIdOf = (key: SideKey) => (key.kind === 'release' ? key.releaseId : deploymentOf(key)?.releaseId);
  const releaseIds = [...new Set(keys.flatMap((key) => releaseIdOf(key) ?? []))];
  const found = new Map((await releases.listByIds(query, tenant, releaseIds)).map((row) => [row.id, row]));
  const environments = pairs.flatMap(({ from, to }) =>
    [launchEnvironment(from, to) ?? [], launchEnvironment(to, from) ?? []].flat(),
  );
  const sets = await variablesOf(
    query,
    tenant,
    keys.flatMap((key) => deploymentOf(key) ?? []),
    [...new Set(environments)],
  );

  const sideOf = (key: SideKey, other: SideKey): Side => {
    const deployment = deploymentOf(key);
    const releaseId = releaseIdOf(key);
    const release = releaseId && found.get(releaseId);
    if (releaseId && !release) throw releases.notFound(releaseId);
    if (key.kind === 'release') {
      if (!release) throw releases.notFound(key.releaseId);
      const environmentId = launchEnvironment(key, other);
      return {
        release,
        productId: release.productId,
        environmentId: key.environmentId,
        deployment: undefined,
        variableSet: sets.newest(environmentId),
      };
    }
    return {
      release,
      productId: key.kind === 'place' ? key.productId : key.deployment.productId,
      environmentId: environmentOf(key),
      deployment,
      variableSet: deployment ? sets.recorded(deployment) : null,
    };
  };
  return pairs.map(({ from, to }) => ({ from: sideOf(from, to), to: sideOf(to, from) }));
};
