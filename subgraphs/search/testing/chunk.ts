import type { Chunk } from '../corpus/chunk.ts';

/** Creates a chunk of a finding, with the given fields overridden. */
export const aChunk = (documentKey: string, overrides: Partial<Chunk> = {}): Chunk => ({
  domain: 'findings',
  source: 'test',
  documentKey,
  part: 0,
  entityType: 'vulnerability',
  entityKey: `vulnerability:${documentKey}`,
  title: documentKey,
  body: '',
  identifiers: [documentKey],
  packages: [],
  ...overrides,
});
