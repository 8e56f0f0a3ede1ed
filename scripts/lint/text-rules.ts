// Form of docstrings and comments, of statements' names, and of the names of files and folders.
import { type Breach, lineOf, type Source } from './sources.ts';

/** Openings that a docstring must not have: it begins with a noun or a verb in the third person. */
const EMPTY_OPENING =
  /\/\*\*\s*(?:\*\s*)?(What|Whatever|Who|Whoever|Whom|Whose|Of|Those|That|Where|When|Which|How|Somebody|Anybody|Nobody|Everybody|Everything|Nothing)\b/g;

/** Docstring of an export that names its faults and not its purpose. */
const ONLY_THROWS = /\/\*\*\s*(?:\*\s*)?@throws(?:(?!\*\/)[\s\S])*\*\/\s*\nexport /g;

/** Openings that a comment of its own line must not have. */
const EMPTY_COMMENT = /^\s*\/\/ (What|Whatever|Who|Whoever|Whom|Whose|Of|Those|That|Somebody|Someone|Nobody)\b/;

const GENERATED = /(?:\/generated\/|[/.]generated\.ts$)/;

/** Whether a comment ends in the middle of a sentence, which the next line continues. */
const isContinued = (before: string): boolean => /^\s*\/\//.test(before) && !/[.:]$/.test(before);

const breachesOf = (
  { file, text }: Source,
  pattern: RegExp,
  messageOf: (match: RegExpMatchArray) => string,
): Breach[] =>
  [...(GENERATED.test(file) ? '' : text).matchAll(pattern)].map((match) => ({
    file,
    line: lineOf(text, match.index),
    message: messageOf(match),
  }));

const FORM = 'begins with a noun or a verb in the third person, not with';

/** Breaches of the form of docstrings: the first word, and a purpose before the faults. */
export const checkDocstrings = (sources: readonly Source[]): Breach[] =>
  sources.flatMap((source) => [
    ...breachesOf(source, EMPTY_OPENING, ([, word]) => `a docstring ${FORM} “${word}”`),
    ...breachesOf(source, ONLY_THROWS, () => 'a docstring says what the export does before @throws'),
  ]);

/** Breaches of the form of comments: the first word. */
export const checkComments = (sources: readonly Source[]): Breach[] =>
  sources.flatMap(({ file, text }) =>
    (GENERATED.test(file) ? '' : text).split('\n').flatMap((content, index, all) => {
      const [, word] = EMPTY_COMMENT.exec(content) ?? [];
      if (word === undefined || isContinued(all[index - 1] ?? '')) return [];
      return [{ file, line: index + 1, message: `a comment ${FORM} “${word}”` }];
    }),
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

const wordsOf = (name: string): string[] =>
  name
    .replace(/\.\w+$/, '')
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(COMPOUNDS, '')
    .split(/[.-]/);

const foldersOf = (sources: readonly Source[]): string[] => {
  const folders = sources.flatMap(({ file }) => {
    const parts = file.split('/').slice(0, -1);
    return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
  });
  return [...new Set(folders)];
};

/** Files and folders whose name has one of these words. */
export const checkFileNames = (sources: readonly Source[], forbidden: ReadonlySet<string>): Breach[] => {
  const files = sources.map(({ file }) => file).filter((file) => !GENERATED.test(file));
  return [...files, ...foldersOf(sources)].flatMap((path) =>
    wordsOf(path.split('/').at(-1) ?? '')
      .filter((word) => forbidden.has(word))
      .map((word) => ({ file: path, line: 1, message: `the glossary keeps “${word}” out of file names` })),
  );
};
