import { type Code, type Component, type Declared, isLive, type Model, type Release } from './entities.model.ts';

export const createRelease = (
  model: Model,
  name: string,
  semver: string,
  components: readonly Component[],
  author: string,
): Code => {
  const known = model.products.find((each) => each.name === name && isLive(each));
  const product = known ?? { id: '', name, isRemoved: false, components: null, path: null };
  const isDeclared = (input: Component): boolean =>
    product.components === null ||
    product.components.some((each) => each.name === input.name && each.repository === input.repository);
  if (!components.every(isDeclared)) return 'VAL_INVALID_VALUE';
  if (model.releases.some((each) => each.product === product && each.semver === semver)) return 'RES_ALREADY_EXISTS';
  if (!known) model.products.push(product);
  model.releases.push({ id: '', product, semver, components, author, status: 'draft', isHeld: false });
  return undefined;
};

export type ReleaseAct = 'finalize' | 'markReady' | 'hold' | 'clearHold' | 'deprecate';

const finalize = (release: Release): Code => {
  const { status, components, product } = release;
  if (status !== 'draft') return 'REL_ALREADY_FINALIZED';
  const required = product.components?.filter((each) => each.required) ?? [];
  const isMissing = ({ name }: Declared): boolean => components.every((each) => each.name !== name);
  if (components.length === 0 || required.some(isMissing)) return 'REL_COMPONENT_MISSING';
  const isDeclared = ({ name, repository }: Component): boolean =>
    product.components?.some((each) => each.name === name && each.repository === repository) ?? true;
  if (!components.every(isDeclared)) return 'VAL_INVALID_VALUE';
  release.status = 'finalized';
  return undefined;
};

export const releaseAct = (release: Release, operation: ReleaseAct): Code => {
  const isFixed = release.status === 'finalized' || release.status === 'ready';
  if (operation === 'finalize') return finalize(release);
  if (!isFixed || (operation === 'markReady' && release.status === 'ready')) return 'REL_INVALID_STATUS_TRANSITION';
  if (operation === 'markReady') {
    if (release.isHeld) return 'REL_NOT_READY';
    release.status = 'ready';
  } else if (operation === 'deprecate') release.status = 'deprecated';
  else if (operation === 'hold') release.isHeld = true;
  else if (!release.isHeld) return 'RES_CONFLICT';
  else release.isHeld = false;
  return undefined;
};

export const promotableCode = ({ status, isHeld: isOnHold }: Release): Code => {
  if (status === 'deprecated') return 'REL_DEPRECATED';
  return status === 'ready' && !isOnHold ? undefined : 'REL_NOT_READY';
};

export const digestSet = ({ components }: Release): string =>
  components
    .map(({ name, digest }) => `${name}@${digest}`)
    .toSorted()
    .join();
