/**
 * The generated page docs/specification.md.
 *
 *   node schema/docs.ts            writes it
 *   node schema/docs.ts --check    fails when it is stale or a claim is wrong
 */
import { finish, scriptOptions } from './output.ts';
import { trace } from './trace.ts';

if (import.meta.main) {
  const { root, check } = scriptOptions();
  finish(root, trace(root), check);
}
