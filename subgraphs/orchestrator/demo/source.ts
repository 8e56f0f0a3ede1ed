import type { GraphSession } from '@landfall/kernel/demo/chapter';
import { runAction, until } from '@landfall/kernel/demo/graph-action';
import Type from 'typebox';
import { type DemoRegistry, NEXT_BOOKS_VERSION } from './images.ts';

const Id = Type.Object({ id: Type.String() });
const Source = Type.Object({ releaseSource: Type.Object({ state: Type.String() }) });
const Candidate = Type.Object({
  product: Type.Object({
    candidate: Type.Union([
      Type.Null(),
      Type.Object({
        state: Type.String(),
        release: Type.Union([Type.Null(), Type.Object({ id: Type.String(), semver: Type.String() })]),
      }),
    ]),
  }),
});

interface Followed {
  readonly productId: string;
  readonly registry: DemoRegistry;
}

/**
 * Adds a source that follows the images of the books, and pushes a new one: its release appears by itself. The debounce
 * is short, so that the demo does not wait for it.
 */
export const addBooksSource = async (
  { admin, manager }: { readonly admin: GraphSession; readonly manager: GraphSession },
  { productId, registry }: Followed,
) => {
  const input = {
    productId,
    component: 'pages',
    selection: { range: '^1' },
    policy: 'FINALIZE',
    debounceSeconds: 1,
    intervalSeconds: 30,
  };
  const { id } = await runAction(admin, { mutation: 'createReleaseSource', key: 'books', input }, Id);
  await until('the first image of the source', async () => {
    const { releaseSource } = await manager.ask(
      'query ($id: ID!) { releaseSource(id: $id) { state } }',
      { id },
      Source,
    );
    return releaseSource.state === 'SELECTED' ? true : undefined;
  });
  await registry.pushNextBooks();
  await runAction(manager, { mutation: 'pollReleaseSource', key: 'books', input: { id } }, Id);
  const pushedReleaseId = await until('the release of the pushed image', async () => {
    const document = 'query ($id: ID!) { product(id: $id) { candidate { state release { id semver } } } }';
    const { candidate } = (await manager.ask(document, { id: productId }, Candidate)).product;
    return candidate?.state === 'DONE' && candidate.release?.semver === NEXT_BOOKS_VERSION
      ? candidate.release.id
      : undefined;
  });
  return { booksSourceId: id, pushedReleaseId };
};
