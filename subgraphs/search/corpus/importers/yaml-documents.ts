import { type Document, isScalar, LineCounter, parseAllDocuments, visit, type YAMLMap } from 'yaml';
import { Unreadable } from './piece.ts';

/** A document of a YAML file, with the line that it begins in. */
export interface YamlDocument {
  readonly value: unknown;
  readonly line: number;
}

/** A key that a map has twice. The parser's own look compares each key with all before it. */
const repeatedKey = ({ items }: YAMLMap): { readonly name: string; readonly at: number | undefined } | undefined => {
  const names = new Set<unknown>();
  for (const { key } of items) {
    if (!isScalar(key)) continue;
    if (names.has(key.value)) return { name: String(key.value), at: key.range?.[0] };
    names.add(key.value);
  }
  return undefined;
};

const problemOf = (document: Document.Parsed, line: number, counter: LineCounter): Unreadable | undefined => {
  const [problem] = document.errors;
  if (problem) return new Unreadable(problem.message.split('\n')[0] ?? '', problem.linePos?.[0].line ?? line);
  let repeated: Unreadable | undefined;
  visit(document, {
    Map(_key, map) {
      const found = repeatedKey(map);
      if (!found) return undefined;
      const at = found.at === undefined ? line : counter.linePos(found.at).line;
      repeated = new Unreadable(`the key '${found.name.slice(0, 100)}' is there twice`, at);
      return visit.BREAK;
    },
  });
  return repeated;
};

/** The documents of a YAML file that say something, and what is wrong with others. @throws RangeError where it nests too deep */
export const readYaml = (written: string): (YamlDocument | Unreadable)[] => {
  const counter = new LineCounter();
  const documents = parseAllDocuments(written, { lineCounter: counter, logLevel: 'silent', uniqueKeys: false });
  return [...documents].flatMap((document): (YamlDocument | Unreadable)[] => {
    const line = counter.linePos(document.contents?.range?.[0] ?? document.range[0]).line;
    const problem = problemOf(document, line, counter);
    if (problem) return [problem];
    try {
      // A document of aliases of aliases is larger than its text.
      const value: unknown = document.toJS({ maxAliasCount: 100 });
      return value === null || value === undefined ? [] : [{ value, line }];
    } catch (error) {
      return [new Unreadable(error instanceof Error ? error.message : String(error), line)];
    }
  });
};
