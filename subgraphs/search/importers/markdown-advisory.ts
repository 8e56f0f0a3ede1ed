import { attributesOf, chunkOf, firstSentence, listed, MAX_NAMES } from './chunk-builder.ts';
import { canonicalId, normalizeId, purlOf } from './identifiers.ts';
import { type Origin, type ReadResult, Unreadable } from './reader.ts';
import { rate } from './severity.ts';
import { readToml } from './toml.ts';
import { type Fields, fields, instant, list, objects, required, textOf, textsOf, unique } from './values.ts';

const FRONT_MATTER = /^\uFEFF?\s*```toml[ \t]*\r?\n([\s\S]*?)\r?\n```[ \t]*(?:\r?\n|$)/;

/** Detects advisories of RustSec: TOML in a fence with an advisory. */
export const isMarkdownAdvisory = (head: string): boolean => {
  const [start = ''] = head.split(/\r?\n/, 1);
  return /^\uFEFF?```toml\s*$/.test(start.trimStart()) && /^\[advisory\]/m.test(head);
};

interface Affected {
  readonly name: string;
  readonly cvss: string | undefined;
  readonly introduced: readonly string[];
  readonly patched: readonly string[];
  readonly unaffected: readonly string[];
}

/** RustSec has one package, with requirements of versions; Haskell's advisories have a list, with ranges. */
const affectedOf = (advisory: Fields, record: Fields): Affected[] => {
  const name = textOf(advisory.package);
  const versions = fields(record.versions);
  if (name !== undefined)
    return [
      {
        name,
        cvss: textOf(advisory.cvss),
        introduced: [],
        patched: textsOf(list(versions.patched)),
        unaffected: textsOf(list(versions.unaffected)),
      },
    ];
  return objects(record.affected).map((one) => {
    const ranges = objects(one.versions);
    return {
      name: textOf(one.package) ?? textOf(one['ghc-component']) ?? '',
      cvss: textOf(one.cvss),
      introduced: unique(ranges.map((range) => textOf(range.introduced))),
      patched: unique(ranges.map((range) => textOf(range.fixed))),
      unaffected: [],
    };
  });
};

const rangeText = ({ name, introduced, patched, unaffected }: Affected): string => {
  const parts = [
    introduced.length > 0 ? `since ${listed(introduced, 5)}` : '',
    patched.length > 0 ? `patched in ${listed(patched, 5)}` : 'not patched',
    unaffected.length > 0 ? `unaffected ${listed(unaffected, 5)}` : '',
  ];
  return `${name}: ${parts.filter((part) => part !== '').join(', ')}`;
};

/** Label of an advisory that is not about a vulnerability. */
const noticeOf = (advisory: Fields): string | undefined => {
  const kind = textOf(advisory.informational);
  return kind && `Informational: ${kind}.`;
};

const symbolsOf = (record: Fields): string[] => Object.keys(fields(fields(record.affected).functions));

const referencesOf = (advisory: Fields, record: Fields): string[] =>
  unique([
    textOf(advisory.url),
    ...textsOf(list(advisory.references)),
    ...objects(record.references).map((one) => textOf(one.url)),
  ]);

/**
 * Reads an advisory of RustSec or of Haskell: TOML in a fence, then Markdown.
 * @throws Unreadable
 */
export const readMarkdownAdvisory = (text: string, { source }: Origin): readonly ReadResult[] => {
  const [matter = '', toml] = FRONT_MATTER.exec(text) ?? [];
  if (toml === undefined) throw new Unreadable('the TOML at its beginning does not end', 1);
  // Lines of the file: the fence is the first of them.
  const record = readToml(`\n${toml}`);
  const advisory = fields(record.advisory);
  const id = normalizeId(required(advisory.id, 'advisory.id'));
  const isHaskell = textOf(advisory.package) === undefined;
  const ecosystem = isHaskell ? 'Hackage' : 'crates.io';
  const affected = affectedOf(advisory, record).filter(({ name }) => name !== '');
  const aliases = textsOf(list(advisory.aliases)).map(normalizeId);
  const name = canonicalId(id, aliases);
  const markdown = text.slice(matter.length).trim();
  const [heading = '', title] = /^#[ \t]+(.+?)[ \t#]*(?:\r?\n|$)/.exec(markdown) ?? [];
  const body = markdown.slice(heading.length).trim();
  const withdrawn = textOf(advisory.withdrawn);
  const names = affected.map((one) => one.name);
  const rated = rate(...affected.map(({ cvss }) => ({ vector: cvss, score: undefined })));
  const [uri, ...references] = referencesOf(advisory, record);
  return [
    chunkOf('vulnerability', name, {
      domain: 'findings',
      source: source ?? (isHaskell ? 'haskell' : 'rustsec'),
      documentKey: id,
      title: textOf(title) ?? textOf(advisory.title) ?? (body === '' ? id : firstSentence(body)),
      body: [
        withdrawn && `Withdrawn on ${withdrawn.slice(0, 10)}.`,
        noticeOf(advisory),
        body === '' ? textOf(advisory.description) : body,
        affected.length > 0 ? `Affected: ${listed(affected.map(rangeText), 10)}.` : undefined,
      ],
      identifiers: [
        name,
        id,
        ...aliases,
        ...textsOf(list(advisory.related)).map(normalizeId),
        ...names.map((one) => purlOf(ecosystem, one)),
      ],
      packages: unique(names).slice(0, MAX_NAMES),
      severity: rated.severity,
      ecosystem,
      uri,
      occurredAt: instant(advisory.date),
      attributes: {
        fixed: unique(affected.flatMap(({ patched }) => patched)),
        affected: affected.map((one) =>
          attributesOf({ package: one.name, ecosystem, fixed: one.patched, introduced: one.introduced }),
        ),
        symbols: symbolsOf(record).slice(0, MAX_NAMES),
        cvss: rated.score,
        cvssVector: rated.vector,
        informational: textOf(advisory.informational),
        categories: textsOf(list(advisory.categories)),
        keywords: textsOf(list(advisory.keywords)),
        withdrawn,
        references: references.slice(0, 10),
      },
    }),
  ];
};
