import { createReadStream } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import type { Chunk } from '@landfall/search/testing/parts';
import Type, { type Static } from 'typebox';
import { Parse } from 'typebox/value';

const line = Type.Object({
  kind: Type.Union([Type.Literal('finding'), Type.Literal('vex'), Type.Literal('policy')]),
  id: Type.String(),
  aliases: Type.Array(Type.String()),
  eco: Type.String(),
  pkgs: Type.Array(Type.String()),
  title: Type.String(),
  body: Type.String(),
  fixed: Type.Array(Type.String()),
  cats: Type.Array(Type.String()),
  src: Type.String(),
});

type Line = Static<typeof line>;

/** Document with one chunk. */
export type BenchDocument = Chunk;

const DOMAINS = { finding: 'findings', vex: 'vex', policy: 'policy' } as const;
const MAX_BODY = 4_000;
const MAX_TITLE = 120;

/** Checks that an identifier contains letters, unlike a bare date. */
const isName = (text: string): boolean => /[a-z]/i.test(text);

const withoutNumber = (name: string): string => name.replace(/#\d+$/, '');

/** Entity of a document: its CVE if it has one, as importers choose it. */
const entityOf = ({ kind, id, aliases }: Line): Pick<Chunk, 'entityKey' | 'entityType'> => {
  if (kind === 'policy') return { entityKey: `policy:${id}`, entityType: 'policy' };
  const names = kind === 'vex' || id.startsWith('KEV-') ? aliases : [id, ...aliases];
  const canonical = names.find((name) => name.startsWith('CVE-')) ?? names[0] ?? id;
  return { entityKey: `vulnerability:${canonical}`, entityType: 'vulnerability' };
};

const firstSentenceOf = (body: string): string => {
  const text = body.replaceAll(/\s+/g, ' ').trim();
  const end = text.search(/[.!?](\s|$)/);
  return text.slice(0, end > 0 ? Math.min(end, MAX_TITLE) : MAX_TITLE);
};

const documentOf = (read: Line): BenchDocument => {
  // The file numbers several documents that its source has under one name: `CVE-2020-5274#1`.
  const renamed = { ...read, aliases: read.aliases.map(withoutNumber) };
  const { kind, id, aliases, eco, pkgs, title, body, src, fixed, cats } = renamed;
  const { entityKey, entityType } = entityOf({ ...renamed, id: withoutNumber(id) });
  const own = kind === 'vex' ? [] : [withoutNumber(id).replace(/^KEV-/, '')];
  return {
    domain: DOMAINS[kind],
    source: src,
    documentKey: id,
    part: 0,
    entityType,
    entityKey,
    title: title || firstSentenceOf(body),
    body: body.slice(0, MAX_BODY),
    identifiers: [...new Set([...own, ...aliases].filter(isName))],
    packages: pkgs.flatMap((names) => names.split(/,\s*/)).filter((name) => name !== ''),
    ecosystem: eco,
    attributes: { fixed, ...(kind === 'vex' && { status: cats[0] }) },
  };
};

const FILE_PATHS = [
  process.env.LANDFALL_BENCH_DATA,
  join(import.meta.dirname, '../../../shared/data/advisories.jsonl.gz'),
];

/** Finds the file of real advisories, if this machine has it. */
export const findRealFile = async (): Promise<string | undefined> => {
  for (const path of FILE_PATHS) {
    if (path === undefined) continue;
    const isThere = await access(path).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  return undefined;
};

/**
 * Reads real documents in the order of the file: one JSON object a line, gzipped.
 * @throws Error for a malformed line
 */
export const readDocuments = async (path: string): Promise<BenchDocument[]> => {
  const documents: BenchDocument[] = [];
  const text = createReadStream(path).pipe(createGunzip());
  for await (const row of createInterface({ input: text })) {
    if (row !== '') documents.push(documentOf(Parse(line, JSON.parse(row))));
  }
  return documents;
};
