import type { Chunk } from '../corpus/chunk.ts';

/** A chunk of a finding; a test says what matters to it. */
export const aChunk = (documentKey: string, given: Partial<Chunk> = {}): Chunk => ({
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
  ...given,
});
