import { type Document, LineCounter, parseAllDocuments } from 'yaml';
import { Unreadable } from './reader.ts';
import { indentContinuations } from './yaml-continuation.ts';

/** A document of a YAML file, with the line that it begins in. */
interface YamlDocument {
  readonly value: unknown;
  readonly line: number;
}

const problemOf = (document: Document.Parsed, line: number): Unreadable | undefined => {
  const [problem] = document.errors;
  return problem && new Unreadable(problem.message.split('\n')[0] ?? '', problem.linePos?.[0].line ?? line);
};

/** Parses leniently like Kubernetes: the last of duplicate keys wins; the parser's quadratic check of keys is off. */
const parse = (text: string, lineCounter: LineCounter): readonly Document.Parsed[] => [
  ...parseAllDocuments(text, { lineCounter, logLevel: 'silent', uniqueKeys: false, strict: false }),
];

const isSound = (documents: readonly Document.Parsed[]): boolean =>
  documents.every(({ errors }) => errors.length === 0);

/** Parsed as it is written or, where that fails, with its continued lines indented. */
const parseEither = (text: string) => {
  const counter = new LineCounter();
  const documents = parse(text, counter);
  if (isSound(documents)) return { documents, counter };
  const other = new LineCounter();
  const indented = parse(indentContinuations(text), other);
  return isSound(indented) ? { documents: indented, counter: other } : { documents, counter };
};

/** Non-empty documents of a YAML file, and errors of unreadable ones. Throws RangeError where it nests too deep. */
export const readYaml = (text: string): (YamlDocument | Unreadable)[] => {
  const { documents, counter } = parseEither(text);
  return documents.flatMap((document): (YamlDocument | Unreadable)[] => {
    const line = counter.linePos(document.contents?.range?.[0] ?? document.range[0]).line;
    const problem = problemOf(document, line);
    if (problem) return [problem];
    try {
      // A document of nested aliases is larger than its text.
      const value: unknown = document.toJS({ maxAliasCount: 100 });
      return value === null || value === undefined ? [] : [{ value, line }];
    } catch (error) {
      return [new Unreadable(error instanceof Error ? error.message : String(error), line)];
    }
  });
};
