import { Fault } from '../core/fault.ts';

// Far above any document we accept and far below what overflows the stack.
const maxDepth = 256;

const refuse = (message: string): never => {
  throw new Fault('VAL_INVALID_JSON', message);
};

const text = (value: string): string =>
  value.isWellFormed() ? JSON.stringify(value) : refuse('A string holds an unpaired surrogate.');

// JSON.parse reads 1e999 as Infinity, so this is a fault of the sender and not only of our own code.
const number = (value: number): string =>
  Number.isFinite(value) ? JSON.stringify(value) : refuse('A number is outside the range of a double.');

const isPlain = (value: object): value is Readonly<Record<string, unknown>> => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

const members = (value: Readonly<Record<string, unknown>>, depth: number): string =>
  Object.keys(value)
    .filter((key) => value[key] !== undefined)
    // The default order of sort is by UTF-16 code units, which is what RFC 8785 3.2.3 asks for.
    .sort()
    .map((key) => `${text(key)}:${write(value[key], depth)}`)
    .join(',');

const structure = (value: object, depth: number): string => {
  if (depth > maxDepth) return refuse(`The document nests deeper than ${maxDepth} levels.`);
  if (Array.isArray(value)) return `[${value.map((item: unknown) => write(item, depth + 1)).join(',')}]`;
  if (isPlain(value)) return `{${members(value, depth + 1)}}`;
  throw new TypeError('Canonical JSON is made of plain objects and arrays.');
};

const write = (value: unknown, depth: number): string => {
  if (value === null) return 'null';
  switch (typeof value) {
    case 'string':
      return text(value);
    case 'number':
      return number(value);
    case 'boolean':
      return String(value);
    case 'object':
      return structure(value, depth);
    default:
      throw new TypeError(`Canonical JSON has no ${typeof value}.`);
  }
};

/**
 * Canonical JSON text of a value (JCS, RFC 8785): equal values give equal text, whatever their key order. Members
 * with the value `undefined` are omitted.
 * @throws Fault VAL_INVALID_JSON for unpaired surrogates, numbers out of range and excessive depth
 * @throws TypeError for values that JSON cannot represent
 */
export const canonicalJson = (value: unknown): string => write(value, 0);
