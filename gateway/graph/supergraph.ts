import { readFileSync } from 'node:fs';

export const supergraphSdl = (): string =>
  readFileSync(new URL('../../schema/supergraph.graphql', import.meta.url), 'utf8');
