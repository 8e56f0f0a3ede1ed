import type { Chunk } from '../corpus/chunk.ts';
import { packageChunk } from './package-chunk.ts';
import { type Origin, type Reader, type ReadResult, readEach, Unreadable } from './reader.ts';
import { type Fields, fields, instant, list, objects, required, textOf, unique } from './values.ts';

/** SPDX writes these where nothing is known. */
const known = (value: unknown): string | undefined => {
  const read = textOf(value);
  return read === 'NOASSERTION' || read === 'NONE' ? undefined : read;
};

const referencesOf = (entry: Fields, ...types: readonly string[]): string[] =>
  unique(
    objects(entry.externalRefs)
      .filter((reference) => types.includes(textOf(reference.referenceType) ?? ''))
      .map((reference) => textOf(reference.referenceLocator)),
  );

const supplierOf = (entry: Fields): string | undefined =>
  (known(entry.supplier) ?? known(entry.originator))?.replace(/^(?:Organization|Person|Tool):\s*/, '');

const entryChunk = (entry: Fields, document: Fields, { path, source = 'spdx' }: Origin): Chunk => {
  const name = required(entry.name, 'name');
  const namespace = textOf(document.documentNamespace) ?? path;
  return packageChunk({
    source,
    documentKey: `${namespace}/${textOf(entry.SPDXID) ?? name}`,
    name,
    version: known(entry.versionInfo),
    purl: referencesOf(entry, 'purl')[0],
    names: [
      ...referencesOf(entry, 'cpe23Type', 'cpe22Type', 'cpe23', 'cpe22'),
      ...objects(entry.checksums).map((checksum) => textOf(checksum.checksumValue)),
    ],
    description: known(entry.description) ?? known(entry.summary) ?? known(entry.comment),
    licences: unique([known(entry.licenseConcluded), known(entry.licenseDeclared)]),
    supplier: supplierOf(entry),
    kind: known(entry.primaryPackagePurpose)?.toLowerCase(),
    subject: known(document.name),
    occurredAt: instant(fields(document.creationInfo).created),
  });
};

export const readSpdx: Reader = (document, origin) => {
  if (!/^SPDX-2\./.test(textOf(document.spdxVersion) ?? ''))
    throw new Unreadable(`spdxVersion is '${textOf(document.spdxVersion) ?? ''}'; SPDX 2 is read`);
  return readEach(list(document.packages), 'packages', (entry) => entryChunk(fields(entry), document, origin));
};

interface Tag {
  readonly line: number;
  readonly name: string;
  readonly value: string;
}

/** `Name: value` by lines; `<text>` may go over several. */
const tagsOf = (text: string): { readonly tags: readonly Tag[]; readonly problems: readonly Unreadable[] } => {
  const lines = text.split(/\r?\n/);
  const tags: Tag[] = [];
  const problems: Unreadable[] = [];
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? '';
    if (line.trim() === '' || line.startsWith('#')) continue;
    const [, name, value = ''] = /^([A-Za-z]\w*):\s*(.*)$/.exec(line) ?? [];
    if (name === undefined) {
      problems.push(new Unreadable('this is no tag with a value', index + 1));
      continue;
    }
    const started = index;
    const gathered = [value];
    if (value.startsWith('<text>'))
      while (!(lines[index] ?? '').includes('</text>') && index + 1 < lines.length) gathered.push(lines[++index] ?? '');
    if (value.startsWith('<text>') && !(lines[index] ?? '').includes('</text>'))
      problems.push(new Unreadable('<text> is never closed', started + 1));
    tags.push({
      line: started + 1,
      name,
      value: gathered
        .join('\n')
        .replace(/^<text>|<\/text>.*$/gs, '')
        .trim(),
    });
  }
  return { tags, problems };
};

/** Tags that begin an element other than a package. */
const OTHERS = new Set(['FileName', 'SnippetSPDXID', 'LicenseID', 'Relationship', 'Annotator']);

interface TaggedPackage {
  readonly line: number;
  readonly entry: Record<string, unknown>;
  readonly externalRefs: Record<string, unknown>[];
  readonly checksums: Record<string, unknown>[];
}

const FIELDS: Readonly<Record<string, string>> = {
  SPDXID: 'SPDXID',
  PackageVersion: 'versionInfo',
  PackageSupplier: 'supplier',
  PackageOriginator: 'originator',
  PackageLicenseConcluded: 'licenseConcluded',
  PackageLicenseDeclared: 'licenseDeclared',
  PackageSummary: 'summary',
  PackageDescription: 'description',
  PackageComment: 'comment',
  PrimaryPackagePurpose: 'primaryPackagePurpose',
};

const addTag = (into: TaggedPackage, { name, value }: Tag): void => {
  const field = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined;
  if (field !== undefined) into.entry[field] = value;
  if (name === 'PackageChecksum') into.checksums.push({ checksumValue: value.replace(/^\w+:\s*/, '') });
  const [, referenceType, referenceLocator] = name === 'ExternalRef' ? (/^\S+\s+(\S+)\s+(\S+)/.exec(value) ?? []) : [];
  if (referenceType !== undefined) into.externalRefs.push({ referenceType, referenceLocator });
};

/**
 * Reads the packages of a tag-value file; each broken one with its line.
 * @throws Unreadable
 */
export const readSpdxTags = (text: string, origin: Origin): readonly ReadResult[] => {
  const { tags, problems } = tagsOf(text);
  const first = (name: string): string | undefined => tags.find((tag) => tag.name === name)?.value;
  const version = first('SPDXVersion');
  if (version === undefined || !version.startsWith('SPDX-2.'))
    throw new Unreadable(`SPDXVersion is '${version ?? ''}'; SPDX 2 is read`);
  const document = {
    name: first('DocumentName'),
    documentNamespace: first('DocumentNamespace'),
    creationInfo: { created: first('Created') },
  };
  const packages: TaggedPackage[] = [];
  let current: TaggedPackage | undefined;
  for (const tag of tags) {
    if (tag.name === 'PackageName') {
      current = { line: tag.line, entry: { name: tag.value }, externalRefs: [], checksums: [] };
      packages.push(current);
    } else if (OTHERS.has(tag.name)) current = undefined;
    else if (current) addTag(current, tag);
  }
  const entries = packages.map(({ line, entry, externalRefs, checksums }): ReadResult => {
    try {
      return entryChunk({ ...entry, externalRefs, checksums }, document, origin);
    } catch (error) {
      if (error instanceof Unreadable) return new Unreadable(error.message, line);
      throw error;
    }
  });
  return [...entries, ...problems];
};
