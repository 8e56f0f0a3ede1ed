/**
 * The generated page docs/specification.md.
 *
 *   node schema/docs.ts            writes it
 *   node schema/docs.ts --check    fails when it is stale or a claim is wrong
 *   node schema/docs.ts --release  writes it although a row lost its proof; the commit says why
 */
import { finish, scriptOptions } from './output.ts';
import { trace } from './trace.ts';

if (import.meta.main) {
  const { root, check, release } = scriptOptions();
  finish(root, trace(root, release), check);
}
