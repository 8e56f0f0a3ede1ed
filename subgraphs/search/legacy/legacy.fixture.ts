import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from '@landfall/kernel/core/worker';
import type { Route } from '@landfall/kernel/routes/route';
import { loadSettings } from '@landfall/kernel/system/settings';
import { testApp } from '@landfall/kernel/testing/app';
import { createSearch, type Knowledge, type Search } from '../index.ts';
import { searchSettings } from '../shared/settings.ts';

type Chunk = Knowledge['documents'][number];

const aDocument = (key: string, overrides: Partial<Chunk>): Chunk => ({
  domain: 'knowledge',
  source: 'docs',
  documentKey: key,
  part: 0,
  entityType: 'document',
  entityKey: `document:${key}`,
  title: key,
  body: '',
  identifiers: [],
  packages: [],
  uri: key,
  ...overrides,
});

/** Knowledge corpus of a small installation. */
export const exampleKnowledge: Knowledge = {
  documents: [
    aDocument('docs/keys.md#rotating', {
      title: 'Keys › Rotating the signing key',
      body: 'A signing key is rotated by the operator. What it signed still verifies.',
    }),
    aDocument('docs/keys.md#losing', { title: 'Keys › Losing the root key', body: 'Every secret is lost with it.' }),
  ],
  apiSpecCount: 2,
  operations: [
    aDocument('platform POST /v1/search/query', {
      source: 'openapi',
      entityType: 'operation',
      entityKey: 'operation:platform POST /v1/search/query',
      title: 'POST /v1/search/query: The best cards for a query.',
      body: 'Needs one of the scopes advisory-ai:operate.',
      identifiers: ['/v1/search/query'],
      uri: '/docs',
    }),
  ],
  checks: [
    aDocument('disk-space', {
      source: 'doctor',
      entityType: 'check',
      entityKey: 'check:disk-space',
      title: 'There is room on the disk',
      body: 'A database whose disk is full stops taking writes.',
    }),
  ],
};

/** Starts the whole module over a small knowledge corpus that a test may change, with the work of every copy. */
export const legacyApp = async (routes: (search: Search) => readonly Route[]) => {
  const directory = await mkdtemp(join(tmpdir(), 'landfall-legacy-'));
  let statement = exampleKnowledge;
  const app = await testApp({
    createModule: (deps) =>
      createSearch(deps, loadSettings(searchSettings, { env: {} }), {
        location: { dataDir: directory, baseUrl: 'http://platform.example' },
        ports: {
          upstream: async () => ({ status: 404, body: new Uint8Array() }),
          knowledge: async () => statement,
        },
      }),
    routes,
  });
  const companions: readonly Worker[] = app.module.companions ?? [];
  const running = companions.map((worker) => worker.start());
  await app.module.feed.settled();
  return {
    ...app,
    /** Sets the documents of the installation. */
    say(knowledge: Partial<Knowledge>): void {
      statement = { ...statement, ...knowledge };
    },
    settled: () => app.module.feed.settled(),
    async [Symbol.asyncDispose]() {
      for (const one of running) await one[Symbol.asyncDispose]();
      await app[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true });
    },
  };
};
