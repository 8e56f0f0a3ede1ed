import { parse } from 'yaml';
import { type Fields, fields, unique } from './values.ts';

interface RegoSource {
  readonly package: string | undefined;
  readonly rules: readonly string[];
  /** The annotations of METADATA comments, the package's first. */
  readonly metadata: readonly Fields[];
  /** Texts that the rules put together messages from. */
  readonly messages: readonly string[];
  /** Comments before the package clause, used when nothing is annotated. */
  readonly preamble: string;
}

const PACKAGE = /^package\s+([\w.[\]"-]+)/m;
const RULE = /^(?:default\s+)?([A-Za-z_]\w*)(?=\s*(?:[[({]|:=|=|contains\b|if\b|$))/gm;
/** Words that begin a line and name no rule. */
const WORDS = new Set([
  'package',
  'import',
  'else',
  'default',
  'not',
  'some',
  'every',
  'with',
  'as',
  'true',
  'false',
  'null',
]);
const MESSAGE = /\b(?:msg|message|details?)\s*:?=\s*(?:sprintf\(\s*)?("(?:[^"\\\n]|\\.)*"|`[^`]*`)/g;

const METADATA = /^#\s*METADATA\s*$/;
/** Upper bounds of annotations per module and of lines per annotation. */
const MAX_BLOCKS = 500;
const MAX_LINES = 500;

const parsed = (block: readonly string[]): Fields => {
  try {
    const text = block.map((line) => line.replace(/^# ?/, '')).join('\n');
    return fields(parse(text, { maxAliasCount: 10, logLevel: 'silent', uniqueKeys: false }));
  } catch {
    return {};
  }
};

/** The comments below each `# METADATA`, up to the next one or the first line that is no comment. */
const blocksOf = (lines: readonly string[]): string[][] => {
  const blocks: string[][] = [];
  let block: string[] | undefined;
  for (const line of lines) {
    if (METADATA.test(line)) {
      block = [];
      blocks.push(block);
    } else if (!line.startsWith('#')) block = undefined;
    else block?.push(line);
  }
  return blocks;
};

/** The YAML of annotations. What does not parse is left out. */
const metadataOf = (lines: readonly string[]): Fields[] =>
  blocksOf(lines)
    .slice(0, MAX_BLOCKS)
    .filter((block) => block.length <= MAX_LINES)
    .map(parsed)
    .filter((one) => Object.keys(one).length > 0);

const preambleOf = (lines: readonly string[]): string => {
  const end = lines.findIndex((line) => line.trim() !== '' && !line.startsWith('#'));
  const comments = lines.slice(0, end === -1 ? undefined : end).filter((line) => line.startsWith('#'));
  return comments
    .map((line) => line.replace(/^#+ ?/, ''))
    .join('\n')
    .trim();
};

export const readRegoSource = (source: string): RegoSource => {
  const lines = source.split(/\r?\n/);
  const code = lines.filter((line) => !line.trimStart().startsWith('#')).join('\n');
  const metadata = metadataOf(lines);
  return {
    package: PACKAGE.exec(code)?.[1],
    rules: unique([...code.matchAll(RULE)].map((match) => match[1]).filter((name) => !WORDS.has(name ?? ''))),
    metadata,
    messages: unique([...code.matchAll(MESSAGE)].map((match) => match[1]?.slice(1, -1).replaceAll('\\"', '"'))),
    preamble: metadata.length > 0 ? '' : preambleOf(lines),
  };
};
