import { invalid } from '@landfall/kernel/core/fault';
import { idOf } from '@landfall/kernel/core/ids';
import { parser } from '@landfall/kernel/operation/input';
import Type from 'typebox';
import { parsePurl } from '../packages/purl.ts';
import { languageOf } from './language-input.ts';

/** Formats of documents: the platform's own JSON, and the output of Go's `callgraph` (docs/call-graphs.md). */
const FORMATS = ['json', 'callgraph'] as const;

const schema = Type.Object({
  scanId: idOf('Scan'),
  language: Type.Optional(Type.String()),
  format: Type.Optional(Type.Enum([...FORMATS])),
  /** Path of the main module of a Go program. */
  mainModule: Type.Optional(Type.String({ minLength: 1, maxLength: 1_000 })),
  /** Name, version and options of the program that wrote the output. */
  tool: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
});

const parse = parser(schema);

/**
 * Import of a call graph as a request describes it, without the document itself.
 * @throws Fault VAL_*; VAL_REQUIRED_FIELD where the output of `callgraph` comes without the main module
 */
export const parseImport = (input: unknown) => {
  const { scanId, language: name, format = 'json', mainModule, tool = 'callgraph' } = parse(input);
  const language = languageOf(name);
  if (format === 'json') return { scanId, language, go: undefined };
  if (language !== 'go') {
    const message = 'The format callgraph is of the language go only.';
    throw invalid([{ field: 'format', message, code: 'VAL_INVALID_VALUE' }]);
  }
  if (mainModule === undefined)
    throw invalid([
      { field: 'mainModule', message: 'is required for the format callgraph', code: 'VAL_REQUIRED_FIELD' },
    ]);
  return { scanId, language, go: { mainModule, tool } };
};

/** Path of the module of a canonical package URL, such as `github.com/lib/pq`. */
export const goModuleOf = (purl: string): string => {
  const { namespace, name } = parsePurl(purl);
  return namespace === null ? name : `${namespace}/${name}`;
};
