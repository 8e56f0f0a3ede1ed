import type { GraphSession } from '@landfall/kernel/demo/chapter';
import { runAction } from '@landfall/kernel/demo/graph-action';
import Type from 'typebox';
import { deploy, type Environment, land, launch, makeReady } from './deployments.ts';
import { type DemoRegistry, repositories } from './images.ts';
import { addBooksSource } from './source.ts';

const Id = Type.Object({ id: Type.String() });
const Versioned = Type.Object({ id: Type.String(), version: Type.Integer() });
const Products = Type.Object({
  products: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), version: Type.Integer() })),
});

interface Step {
  readonly environmentId: string;
  readonly after?: readonly string[];
}

const setPath = (
  admin: GraphSession,
  name: string,
  { id, version }: { readonly id: string; readonly version: number },
  steps: readonly Step[],
): Promise<unknown> =>
  runAction(admin, { mutation: 'setProductPath', key: name, input: { id, expectedVersion: version, steps } }, Id);

interface EnvironmentModel {
  readonly dev: Environment;
  readonly staging: Environment;
  readonly prod: Environment;
  readonly registry: DemoRegistry;
  /** Agent of the second product's targets. */
  readonly agentId: string;
}

interface People {
  readonly admin: GraphSession;
  readonly manager: GraphSession;
  readonly approver: GraphSession;
}

/**
 * Creates a second product that shares dev and prod with the shop, whose release lands in two regions at once, and whose
 * next release is created by a push. The shop keeps its path of three environments.
 */
export const addSecondProduct = async ({ admin, manager, approver }: People, ids: EnvironmentModel) => {
  const { dev, staging, prod, registry, agentId } = ids;
  const { products } = await admin.ask('{ products { id name version } }', {}, Products);
  const shop = products.find(({ name }) => name === 'shop');
  if (!shop) throw new Error('The demo has no product shop.');
  await setPath(admin, 'shop', shop, [
    { environmentId: dev.id },
    { environmentId: staging.id, after: [dev.id] },
    { environmentId: prod.id, after: [dev.id, staging.id] },
  ]);
  const region = { name: 'prod-us', orderIndex: 35, stageKind: 'PROD', requiredApprovals: 1 };
  const { id } = await runAction(admin, { mutation: 'createEnvironment', key: region.name, input: region }, Id);
  const prodUs = { id, name: region.name };
  const input = {
    name: 'books',
    description: 'The catalogue of books, read in two regions.',
    ownerGroups: ['readers'],
    labels: [{ name: 'tier', value: '2' }],
    components: [{ name: 'pages', repository: registry.repository(repositories.books) }],
  };
  const books = await runAction(admin, { mutation: 'createProduct', key: 'books', input }, Versioned);
  await setPath(admin, 'books', books, [
    { environmentId: dev.id },
    { environmentId: prod.id, after: [dev.id] },
    { environmentId: prodUs.id, after: [dev.id] },
  ]);
  for (const environment of [dev, prod, prodUs]) {
    const name = `${environment.name}-books`;
    const target = {
      environmentId: environment.id,
      productId: books.id,
      name,
      driver: 'STATIC_SLOT',
      agentId,
      config: { slot: name },
    };
    await runAction(admin, { mutation: 'createTarget', key: name, input: target }, Id);
  }
  const releaseId = await makeReady(manager, {
    name: 'books',
    semver: '1.0.0',
    notes: 'The first books.',
    components: [{ name: 'pages', repository: registry.repository(repositories.books), tag: '1.0.0' }],
  });
  const promotion = { releaseId, reason: 'The first books' };
  const rollOut = async (): Promise<void> => {
    await deploy(manager, { ...promotion, to: dev, approvers: [] }, 'VERIFIED');
    const regions = await Promise.all([
      launch(manager, { ...promotion, to: prod, approvers: [approver, admin] }),
      launch(manager, { ...promotion, to: prodUs, approvers: [approver] }),
    ]);
    for (const deployment of regions) await land(manager, deployment);
  };
  // The source selects the image of the first release while that one lands.
  const [followed] = await Promise.all([
    addBooksSource({ admin, manager }, { productId: books.id, registry }),
    rollOut(),
  ]);
  return { ...followed, booksProductId: books.id, shopProductId: shop.id, prodUsEnvironmentId: prodUs.id };
};
