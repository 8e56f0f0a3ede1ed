import type { SymbolName } from './symbol-key.ts';

/** Function of a Go program by package and qualified name. */
export interface GoFunction {
  /** Import path; empty for functions of the language itself, such as `error.Error`. */
  readonly path: string;
  /** Name as the Go vulnerability database writes it: `Decode`, `Decoder.Decode`, `main$1` for a closure. */
  readonly name: string;
}

/** Text without the type arguments in brackets: all instances of a generic function are one symbol. */
const withoutTypeArguments = (text: string): string => {
  let depth = 0;
  let kept = '';
  for (const character of text) {
    if (character === '[') depth++;
    if (depth === 0) kept += character;
    if (character === ']') depth--;
  }
  return kept;
};

/** Splits `path/of.package.Name` before its last identifier; the last element of a path may have dots. */
const splitPath = (text: string): GoFunction => {
  const dot = text.lastIndexOf('.');
  return dot < 0 ? { path: '', name: text } : { path: text.slice(0, dot), name: text.slice(dot + 1) };
};

/**
 * Function that a name of golang.org/x/tools/go/ssa stands for, such as `net/http.Get`, `(*net/http.Client).Do` or
 * `(T).M$bound`. Methods of `T` and `*T` are one symbol, since a type has a method name once.
 */
export const parseGoFunction = (text: string): GoFunction => {
  const plain = withoutTypeArguments(text);
  const method = /^\(\*?(.*)\)\.([^()]+)$/.exec(plain);
  if (method === null) return splitPath(plain);
  const [, receiver = '', name = ''] = method;
  // A struct without a name promotes the methods of what it embeds.
  if (/^(?:struct|interface)\b/.test(receiver)) return { path: '', name: `${receiver}.${name}` };
  const type = splitPath(receiver);
  return { path: type.path, name: `${type.name}.${name}` };
};

/** Path of the module of the standard library in package URLs and advisories. */
const STANDARD_LIBRARY = 'stdlib';

/** Finder of the module that a package belongs to: the longest module path that is a prefix of the import path. */
export const createModuleFinder = (mainModule: string, modules: readonly string[]) => {
  const known = new Set([mainModule, ...modules]);
  return (path: string): string => {
    if (path === 'command-line-arguments' || path === 'main') return mainModule;
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1))
      if (known.has(path.slice(0, end))) return path.slice(0, end);
    // Only import paths of the standard library have no dot in their first element.
    return path.split('/', 1)[0]?.includes('.') ? path : STANDARD_LIBRARY;
  };
};

/** Names of a function of a module; package URLs of Go are in lower case. */
export const goSymbol = ({ path, name }: GoFunction, module: string): SymbolName => ({
  purl: `pkg:golang/${module.toLowerCase()}`,
  module: path,
  name,
  signature: '',
});
