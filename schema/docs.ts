/**
 * The generated pages docs/errors.md and docs/specification.md.
 *
 *   node schema/docs.ts            writes them
 *   node schema/docs.ts --check    fails when one is stale or a claim is wrong
 */
import { errorPage } from './error-page.ts';
import { finish, scriptOptions } from './output.ts';
import { trace } from './trace.ts';

if (import.meta.main) {
  const { root, check } = scriptOptions();
  const { files, problems } = trace(root);
  finish(root, { files: new Map([...files, ['docs/errors.md', errorPage()]]), problems }, check);
}
