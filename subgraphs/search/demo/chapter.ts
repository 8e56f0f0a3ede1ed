import type { DemoChapter, GraphSession } from '@landfall/kernel/demo/chapter';
import { runAction, until } from '@landfall/kernel/demo/graph-action';
import Type from 'typebox';
import { advisories, policies, statements } from './corpus.ts';

const Imported = Type.Object({ importId: Type.String(), documents: Type.Integer(), refusedCount: Type.Integer() });
const Cards = Type.Object({
  search: Type.Object({ cards: Type.Array(Type.Object({ entityKey: Type.String(), title: Type.String() })) }),
});

const FILES = [
  { fileName: 'advisories.ndjson', format: 'osv', content: advisories },
  { fileName: 'acme.openvex.json', format: 'openvex', content: statements },
  { fileName: 'cluster-policies.yaml', format: 'kyverno', content: policies },
] as const;

/** Queries of the company's people, which fill the history and the figures of search. */
const QUERIES = ['log4j', 'prototype pollution', 'CVE-2024-45296', 'images by digest', 'rapid reset'] as const;

const find = async (session: GraphSession, q: string) => {
  const document = 'query ($input: SearchInput!) { search(input: $input) { cards { entityKey title } } }';
  return (await session.ask(document, { input: { q } }, Cards)).search.cards;
};

/** Imports the company's files, waits until search finds them, and runs the queries. */
export const searchChapter: DemoChapter = {
  order: 40,
  open: async () => ({
    async create({ admin, manager }) {
      for (const input of FILES) {
        const action = { mutation: 'importSearchDocuments', key: input.fileName, input };
        const { documents, refusedCount } = await runAction(admin, action, Imported);
        if (documents === 0 || refusedCount > 0)
          throw new Error(`${input.fileName}: ${refusedCount} records were refused.`);
      }
      await until('search finds what was imported', async () => {
        const [best] = await find(manager, 'CVE-2021-44228');
        return best?.entityKey === 'vulnerability:CVE-2021-44228' ? best : undefined;
      });
      for (const q of QUERIES) await find(manager, q);
      return {};
    },
  }),
};
