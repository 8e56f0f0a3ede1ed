// Form of docstrings, of statements' names and of file names.
import { type Breach, lineOf, type Source } from './sources.ts';

/** Openings that a docstring must not have: it begins with a noun or a verb in the third person. */
const EMPTY_OPENING =
  /\/\*\*\s*(?:\*\s*)?(What|Whatever|Who|Whoever|Whom|Whose|Of|Those|That|Where|When|Which|How|Somebody|Anybody|Nobody|Everybody|Everything|Nothing)\b/g;

const GENERATED = /(?:\/generated\/|[/.]generated\.ts$)/;

/** Breaches of language.md's form: the first word of a docstring. */
export const checkDocstrings = (sources: readonly Source[]): Breach[] =>
  sources.flatMap(({ file, text }) =>
    [...(GENERATED.test(file) ? '' : text).matchAll(EMPTY_OPENING)].map((match) => ({
      file,
      line: lineOf(text, match.index),
      message: `a docstring begins with a noun or a verb in the third person, not with “${match[1]}”`,
    })),
  );

const STATEMENT = /`\s*\/\* ([\w.]+) \*\//g;
const TEST = /\.(?:test|fixture)\.ts$/;
const STATEMENT_NAME = /^[a-z_]+(?:\.[a-z_]+)?\.[a-z][A-Za-z]*$/;

/** Statements of the product whose name is not `schema.table.functionName`. */
export const checkStatements = (sources: readonly Source[]): Breach[] =>
  sources.flatMap(({ file, text }) =>
    [...(TEST.test(file) ? '' : text).matchAll(STATEMENT)]
      .filter(([, name = '']) => !STATEMENT_NAME.test(name))
      .map((match) => ({
        file,
        line: lineOf(text, match.index),
        message: `the statement ${match[1]} is named schema.table.functionName`,
      })),
  );

/** Words that the glossary (docs/glossary.md, last section) keeps out of file names. */
export const forbiddenWords = (glossary: string): ReadonlySet<string> => {
  const [, section = ''] = glossary.split(/^## Not in file names$/m);
  return new Set([...section.matchAll(/`([\w-]+)`/g)].map(([, word = '']) => word));
};

/** Terms of the field that have such a word. */
const COMPOUNDS = /not-found|stop-words|relying-party|first-party/;

const wordsOf = (file: string): string[] =>
  (file.split('/').at(-1) ?? '')
    .replace(/\.\w+$/, '')
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(COMPOUNDS, '')
    .split(/[.-]/);

/** Files whose name has one of these words. */
export const checkFileNames = (sources: readonly Source[], forbidden: ReadonlySet<string>): Breach[] =>
  sources.flatMap(({ file }) =>
    (GENERATED.test(file) ? [] : wordsOf(file))
      .filter((word) => forbidden.has(word))
      .map((word) => ({ file, line: 1, message: `the glossary keeps “${word}” out of file names` })),
  );
