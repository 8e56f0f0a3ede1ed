import { isJsonObject } from '@landfall/kernel/core/json';
import { canonicalJson } from '@landfall/kernel/crypto/jcs';
import { type NotificationEvent, namingAttributes } from '../events/event.ts';

/** Function that reads one value of an event; undefined or null where there is none. */
type Reader = (event: NotificationEvent) => unknown;

/** Limit of a path's length, in characters. */
export const MAX_PATH = 200;
/** Limit of the members that a path descends. */
const MAX_DEPTH = 8;

const FIELDS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['kind', (event) => event.kind],
  ['producer', (event) => event.producer],
  ['severity', (event) => event.severity],
  ['status', (event) => event.status],
  ['actor', (event) => event.actor],
  // All that name the condition: for groups of events that are alike.
  ['attributes', namingAttributes],
]);

/** Own member of a JSON object: neither what it inherits, such as `constructor`, nor the length of a text or list. */
const member = (value: unknown, name: string): unknown =>
  isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/**
 * Compiles a path: `kind`, `producer`, `severity`, `status`, `actor`, `attributes`, `attributes.<name>` (the name may
 * have dots) or `payload.<member>.<member>…`. Undefined for a text that is no path.
 */
export const readerOf = (path: string): Reader | undefined => {
  if (path.length > MAX_PATH) return undefined;
  const field = FIELDS.get(path);
  if (field) return field;
  const [root, ...names] = path.split('.');
  if (names.length === 0 || names.includes('')) return undefined;
  if (root === 'attributes') {
    const name = path.slice('attributes.'.length);
    return ({ attributes }) => member(attributes, name);
  }
  if (root !== 'payload' || names.length > MAX_DEPTH) return undefined;
  const [only = '', ...deeper] = names;
  if (deeper.length === 0) return ({ payload }) => member(payload, only);
  return ({ payload }) => names.reduce<unknown>(member, payload);
};

/** Values of an event at paths as one text, which differs for different values; a missing value is null. */
export const encodeValues = (event: NotificationEvent, paths: readonly string[]): string =>
  canonicalJson(paths.map((path) => readerOf(path)?.(event) ?? null));
