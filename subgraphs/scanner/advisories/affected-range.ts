import type { VersionOrder } from '../packages/version-order.ts';
import type { OsvEvent, OsvRange } from './osv-record.ts';
import { versionKey } from './version-keys.ts';

interface KeyedEvent {
  readonly kind: OsvEvent['kind'];
  readonly version: string;
  /** Sort key of the version; empty, and so before all others, for `introduced` of `0`. */
  readonly key: string;
}

/** Range with its events in version order; limits are apart, since they apply to the whole range. */
export interface CompiledRange {
  readonly events: readonly KeyedEvent[];
  readonly limits: readonly KeyedEvent[];
}

const isFirst = ({ kind, version }: OsvEvent): boolean => kind === 'introduced' && version === '0';

const isInfinite = ({ kind, version }: OsvEvent): boolean => kind === 'limit' && version.includes('*');

/** Versions of a range that its ecosystem's order cannot read. */
export const badVersionsOf = ({ events }: OsvRange, order: VersionOrder): readonly string[] =>
  events
    .filter((event) => !isFirst(event) && !isInfinite(event) && !order.isVersion(event.version))
    .map(({ version }) => version);

/** Order of sort keys. */
export const compareKeys = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** Sorts the events of a range without bad versions; events at one version stay in the order of the record. */
export const compileRange = ({ events }: OsvRange, order: VersionOrder): CompiledRange => {
  const keyed = events.map((event) => ({ ...event, key: isFirst(event) ? '' : versionKey(order, event.version) }));
  return {
    events: keyed.filter(({ kind }) => kind !== 'limit').sort((a, b) => compareKeys(a.key, b.key)),
    limits: keyed.filter(({ kind }) => kind === 'limit'),
  };
};

const isBeforeLimits = (key: string, limits: readonly KeyedEvent[]): boolean =>
  limits.length === 0 || limits.some((limit) => isInfinite(limit) || key < limit.key);

/**
 * Whether a version lies in a range (OSV schema, evaluation), and the first fixed version after it.
 * @param key sort key of the version
 */
export const evaluateRange = (key: string, { events, limits }: CompiledRange) => {
  let isAffected = false;
  for (const event of events) {
    if (event.kind === 'introduced') isAffected ||= key >= event.key;
    else if (key > event.key || (event.kind === 'fixed' && key === event.key)) isAffected = false;
  }
  isAffected &&= isBeforeLimits(key, limits);
  const next = isAffected ? events.find((event) => event.kind === 'fixed' && event.key > key) : undefined;
  return { isAffected, nextFixed: next?.version ?? null };
};
