import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Recorded exchange: a request with variables, and the bytes of its answer with slots for random parts. */
export interface GoldenCase {
  /** `orchestrator/release`. */
  readonly name: string;
  readonly file: string;
  /** Why it is there: the comment on top. */
  readonly note: string;
  readonly request: string;
  /** Empty until it is recorded. */
  readonly response: string;
}

const HERE = join(import.meta.dirname, '../golden');
const PARTING = '\n###\n\n';

const parse = (path: string): GoldenCase => {
  const file = join(HERE, path);
  const [head = '', response = ''] = readFileSync(file, 'utf8').split(PARTING);
  const lines = head.split('\n');
  const start = lines.findIndex((line) => !line.startsWith('#'));
  return {
    name: join(dirname(path), basename(path, '.http')),
    file,
    note: lines.slice(0, start).join('\n'),
    request: lines.slice(start).join('\n').trimEnd(),
    response: response.trimEnd(),
  };
};

/** Every case there is, by name. */
export const goldenCases = (): GoldenCase[] => globSync('*/*.http', { cwd: HERE }).toSorted().map(parse);

export const caseText = ({ note, request, response }: Omit<GoldenCase, 'name' | 'file'>): string =>
  `${note}\n${request}\n${PARTING}${response}\n`;
