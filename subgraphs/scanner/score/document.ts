import type { Digest } from '@landfall/kernel/crypto/digest';
import { canonicalJson } from '@landfall/kernel/crypto/jcs';
import Type from 'typebox';
import { mapInSteps, type Steps } from '../shared/steps.ts';
import { MILLION } from './ppm.ts';

/** Conventions of every hashed document (proofs 0). */

/** Document that breaks a rule of its format or of the score model. `reason` is a stable slug. */
export class InvalidDocument extends Error {
  override readonly name = 'InvalidDocument';
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Refuses a document. Its type is written out, so that the compiler knows that nothing follows a call. */
export const refuse: (reason: string, message: string) => never = (reason, message) => {
  throw new InvalidDocument(reason, message);
};

export const closed = { additionalProperties: false } as const;
export const digest = Type.Unsafe<Digest>(Type.String({ pattern: '^sha256:[0-9a-f]{64}$' }));
export const ppm = Type.Integer({ minimum: 0, maximum: MILLION });
export const count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
export const name = Type.String({ minLength: 1 });
/** RFC 3339 in UTC with whole seconds. */
export const instant = Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$' });
export const nullable = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

/** Seconds since 1970 of an instant. Throws InvalidDocument for a date that is not in the calendar. */
export const secondsOf = (time: string): number => {
  const milliseconds = Date.parse(time);
  if (Number.isNaN(milliseconds) || new Date(milliseconds).toISOString() !== time.replace('Z', '.000Z'))
    refuse('time-invalid', `${time} is not a time in UTC with whole seconds.`);
  return milliseconds / 1000;
};

// Surrogates encode the code points above U+FFFF, whose UTF-8 bytes sort last.
const rankOf = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x1_0000 : unit);

/** Compares well-formed strings by their UTF-8 bytes. */
export const compareBytes = (left: string, right: string): number => {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at++) {
    const difference = rankOf(left.charCodeAt(at)) - rankOf(right.charCodeAt(at));
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
};

/**
 * Canonical JSON (RFC 8785) of a value whose members are finite numbers in the order of their names, which the
 * engine's own writer then gives several times faster.
 * @throws Fault VAL_INVALID_JSON for an unpaired surrogate
 */
export const orderedJson = (value: unknown): string => {
  const text = JSON.stringify(value);
  // The engine escapes an unpaired surrogate, which canonical JSON refuses. A backslash in a text may look the same.
  return text.includes('\\ud') ? canonicalJson(value) : text;
};

const NOT_CANONICAL = 'It is not canonical JSON (RFC 8785).';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const textOf = (source: Uint8Array | string): string => (typeof source === 'string' ? source : decoder.decode(source));

/**
 * Parses a canonical JSON document: text with a second spelling, a duplicate name or a byte order mark is refused.
 * @throws InvalidDocument with the reason given
 */
export const parseCanonical = (source: Uint8Array | string, reason: string): unknown => {
  try {
    const text = textOf(source);
    const value: unknown = JSON.parse(text);
    if (canonicalJson(value) === text) return value;
  } catch (error) {
    return refuse(reason, error instanceof Error ? error.message : 'It is not JSON.');
  }
  return refuse(reason, NOT_CANONICAL);
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Canonical JSON of the members of an object that a condition selects, without its braces. */
const membersOf = (value: Readonly<Record<string, unknown>>, isWanted: (name: string) => boolean): string =>
  canonicalJson(Object.fromEntries(Object.entries(value).filter(([name]) => isWanted(name)))).slice(1, -1);

/** Document that was parsed, and the canonical JSON of each element of its long list; none where it has no such list. */
interface ParsedList {
  readonly value: unknown;
  readonly texts: readonly string[];
}

function* parseList(text: string, list: string): Steps<ParsedList & { readonly isCanonical: boolean }> {
  const value: unknown = JSON.parse(text);
  const elements = isObject(value) && Object.hasOwn(value, list) ? value[list] : undefined;
  if (!isObject(value) || !Array.isArray(elements))
    return { value, texts: [], isCanonical: canonicalJson(value) === text };
  yield;
  const texts = yield* mapInSteps<unknown, string>(elements, canonicalJson);
  // RFC 8785 3.2.3 orders names by UTF-16 code units, as the operators do.
  const before = membersOf(value, (name) => name < list);
  const after = membersOf(value, (name) => name > list);
  const members = [before, `${JSON.stringify(list)}:[${texts.join()}]`, after].filter((part) => part !== '');
  return { value, texts, isCanonical: `{${members.join()}}` === text };
}

/**
 * Parses a canonical JSON document as `parseCanonical` does, one list of which may be long, in steps.
 * @param list member of the document
 * @throws InvalidDocument with the reason given
 */
export function* parseLongCanonical(source: Uint8Array | string, reason: string, list: string): Steps<ParsedList> {
  try {
    const { value, texts, isCanonical } = yield* parseList(textOf(source), list);
    if (isCanonical) return { value, texts };
  } catch (error) {
    return refuse(reason, error instanceof Error ? error.message : 'It is not JSON.');
  }
  return refuse(reason, NOT_CANONICAL);
}
