import type { Context } from '../../context.ts';

interface Target {
  readonly releaseId: string;
  readonly targetEnvironmentId: string;
}

/** Loads the release of a promotion, its product's path, and its environment with the policy of the path there. */
export const loadPathStep = async (
  { releaseId, targetEnvironmentId }: Target,
  loaders: Pick<Context['loaders'], 'release' | 'environment' | 'pathOfProduct'>,
) => {
  const release = await loaders.release.get(releaseId);
  const { entries: steps } = await loaders.pathOfProduct.load(release.productId);
  const entry = steps.find(({ environment }) => environment.id === targetEnvironmentId);
  const environment = entry?.environment ?? (await loaders.environment.get(targetEnvironmentId));
  return { release, environment, steps };
};
