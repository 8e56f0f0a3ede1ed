/**
 * Types from the SDL.
 *
 *   subgraphs/<module>/generated.ts   resolver types: parents by the module's mappers.json, `Context` from its context.ts
 *   console/src/generated/*           a typed document for each operation of console/src/**\/*.graphql
 *   schema/operations.json            those operations as the console sends them, by the SHA-256 of their text
 *
 *   node schema/codegen.ts            writes them
 *   node schema/codegen.ts --check    fails when one is stale
 *
 * Reads schema/api.graphql: compose first.
 */
import { consoleOperations } from './codegen-console.ts';
import { resolverTypes } from './codegen-resolvers.ts';
import { finish, type Outcome, scriptOptions } from './output.ts';
import { subgraphs } from './sdl.ts';

export async function codegen(root: string): Promise<Outcome> {
  const files = new Map<string, string | undefined>();
  for (const subgraph of subgraphs(root))
    files.set(`subgraphs/${subgraph.name}/generated.ts`, await resolverTypes(root, subgraph));
  const operations = await consoleOperations(root);
  return { files: new Map([...files, ...operations.files]), problems: operations.problems };
}

if (import.meta.main) {
  const { root, check } = scriptOptions();
  finish(root, await codegen(root), check);
}
