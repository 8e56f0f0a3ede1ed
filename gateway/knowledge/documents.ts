import type { KnowledgeChunk } from '@landfall/kernel/module';
import { addressOf, listFiles, readDocument } from '../docs/document-files.ts';
import { commandsIn, settingsIn, withoutCode } from './examples.ts';
import { type Row, type Section, sectionsOf, withRows } from './markdown.ts';

/** Matches examples that are not names: versions, names with a version, addresses. */
const EXAMPLE = /^v?[\d.]+$|@/;

/** Lists the names in code spans: error codes, settings, paths, scopes. */
const namesIn = (text: string): string[] => {
  const names = [...text.matchAll(/`([^`\s]{3,80})`/g)].map(([, name = '']) => name);
  return [...new Set(names.filter((name) => /[_:/.-]/.test(name) && !EXAMPLE.test(name)))].slice(0, 40);
};

const base = (path: string, key: string) => ({
  domain: 'knowledge' as const,
  source: 'docs' as const,
  documentKey: key,
  part: 0,
  entityType: 'document' as const,
  entityKey: `document:${key}`,
  packages: [],
  uri: addressOf(key),
  attributes: { path },
});

/** Builds the search chunk of a section; of its examples only commands and settings are indexed. */
const sectionChunk = (path: string, { anchor, path: headings, text }: Section): KnowledgeChunk => {
  const { prose, code } = withoutCode(text);
  const names = [...commandsIn(code), ...settingsIn(code)];
  const exampleText = names.length > 0 ? `In its examples: ${names.map((name) => `\`${name}\``).join(', ')}.` : '';
  return {
    ...base(path, `${path}#${anchor}`),
    title: headings.join(' › '),
    body: [prose, exampleText].filter((part) => part !== '').join('\n\n') || headings.join(' › '),
    identifiers: [...new Set([...namesIn(prose), ...names])],
  };
};

const rowChunk = (path: string, { name, section, text }: Row): KnowledgeChunk => ({
  ...base(path, `${path}#${section.anchor}/${name}`),
  title: `${name} (${section.path.join(' › ')})`,
  body: text,
  identifiers: [name, ...namesIn(text)],
});

/** Splits a document into chunks by heading; each row of a reference table is a chunk of its own. */
export const documentChunks = (path: string, markdown: string): KnowledgeChunk[] =>
  sectionsOf(markdown).flatMap((complete) => {
    const { section, rows } = withRows(complete);
    const own = section.text === '' ? [] : [sectionChunk(path, section)];
    return [...own, ...rows.map((row) => rowChunk(path, row))];
  });

/** Reads the documents of this installation as chunks of the knowledge corpus. */
export const readDocuments = async (root: string): Promise<KnowledgeChunk[]> => {
  const paths = await listFiles(root);
  const texts = await Promise.all(paths.map((path) => readDocument(root, path)));
  return paths.flatMap((path, index) => documentChunks(path, texts[index] ?? ''));
};
