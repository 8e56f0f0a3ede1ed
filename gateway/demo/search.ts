import Type from 'typebox';
import type { GraphSession } from './browser.ts';
import { advisories, policies, statements } from './corpus.ts';
import { runAction, until } from './graph-action.ts';

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
const ASKED = ['log4j', 'prototype pollution', 'CVE-2024-45296', 'images by digest', 'rapid reset'] as const;

const find = async (door: GraphSession, q: string) => {
  const document = 'query ($input: SearchInput!) { search(input: $input) { cards { entityKey title } } }';
  return (await door.ask(document, { input: { q } }, Cards)).search.cards;
};

/** Imports the company's files, waits until what they say is found, and has somebody ask for it. */
export const searchChapter = async (admin: GraphSession, manager: GraphSession): Promise<void> => {
  for (const input of FILES) {
    const { documents, refusedCount } = await runAction(
      admin,
      { mutation: 'importSearchDocuments', key: input.fileName, input },
      Imported,
    );
    if (documents === 0 || refusedCount > 0)
      throw new Error(`${input.fileName}: ${refusedCount} records were refused.`);
  }
  await until('search finds what was imported', async () => {
    const [best] = await find(manager, 'CVE-2021-44228');
    return best?.entityKey === 'vulnerability:CVE-2021-44228' ? best : undefined;
  });
  for (const q of ASKED) await find(manager, q);
};
