import { parse } from 'yaml';
import { type Fields, fields, unique } from './values.ts';

/** What can be told of a Rego module without running it. */
export interface RegoSource {
  readonly package: string | undefined;
  /** Names of rules and functions, each once. */
  readonly rules: readonly string[];
  /** The annotations of METADATA comments, the package's first. */
  readonly metadata: readonly Fields[];
  /** Texts that the rules put together messages from. */
  readonly messages: readonly string[];
  /** Comments ahead of the package, where nothing is annotated. */
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

/** The YAML below each `# METADATA`, up to the first line that is no comment. What does not parse is left out. */
const metadataOf = (lines: readonly string[]): Fields[] =>
  lines.flatMap((line, i) => {
    if (!/^#\s*METADATA\s*$/.test(line)) return [];
    const rest = lines.slice(i + 1);
    const end = rest.findIndex((one) => !one.startsWith('#'));
    const block = rest.slice(0, end === -1 ? undefined : end).map((one) => one.replace(/^# ?/, ''));
    try {
      return [fields(parse(block.join('\n'), { maxAliasCount: 10, logLevel: 'silent' }))];
    } catch {
      return [];
    }
  });

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
