import { CallGraphError } from './call-graph-error.ts';
import type { Language } from './language.ts';

/** Names of a function or method, none of which contains a version, line or column. */
export interface SymbolName {
  /** Package URL; its version, qualifiers and subpath are not part of the key. */
  readonly purl: string;
  /** Path of the module inside the package, such as an import path or a namespace; may be empty. */
  readonly module: string;
  /** Qualified name, such as `Decoder.Decode`. */
  readonly name: string;
  /** Signature or arity where the language overloads; else empty. */
  readonly signature: string;
}

/** Upper bound of a key, in UTF-8 bytes; a generic method of Java with its signature stays below a quarter of it. */
const MAX_KEY_BYTES = 8192;

// `|` separates the parts of a key and is also a method of Ruby and a part of Go's type sets.
const escaped = (part: string): string => (/[%|]/.test(part) ? part.replace(/%/g, '%25').replace(/\|/g, '%7C') : part);

/** Package URL without version, qualifiers and subpath: packages are compared across versions. */
export const purlWithoutVersion = (purl: string): string => {
  const end = purl.search(/[?#]/);
  const base = end < 0 ? purl : purl.slice(0, end);
  const at = base.lastIndexOf('@');
  // The `@` of an npm scope that is not percent-encoded begins a segment.
  return at > base.lastIndexOf('/') + 1 ? base.slice(0, at) : base;
};

/**
 * Symbol key `<language>|<purl without version>|<module>|<name>|<signature>`, `%` and `|` inside a part
 * percent-encoded.
 * @throws CallGraphError for unpaired surrogates, an empty name and keys above 8192 bytes
 */
export const symbolKey = (language: Language, { purl, module, name, signature }: SymbolName): string => {
  const parts = [purlWithoutVersion(purl), module, name, signature];
  const key = `${language}|${parts.map(escaped).join('|')}`;
  if (name === '') throw new CallGraphError('not_a_call_graph', 'A symbol has an empty name.');
  if (!key.isWellFormed())
    throw new CallGraphError('not_a_call_graph', `The symbol ${name.toWellFormed()} holds an unpaired surrogate.`);
  if (key.length * 3 > MAX_KEY_BYTES && Buffer.byteLength(key) > MAX_KEY_BYTES)
    throw new CallGraphError(
      'not_a_call_graph',
      `The symbol ${name.slice(0, 80)}… is longer than ${MAX_KEY_BYTES} bytes.`,
    );
  return key;
};

/** Package URL of a symbol key, as `purlWithoutVersion` writes it. */
export const packageOf = (key: string): string =>
  (key.split('|', 2)[1] ?? '').replace(/%7C/g, '|').replace(/%25/g, '%');
