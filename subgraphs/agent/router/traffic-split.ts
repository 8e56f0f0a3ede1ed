import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const stickyHeader = 'landfall-sticky';
const stickyCookie = 'landfall_sticky';

/** Value by which a client sticks to one release. The router never sets it. */
export const stickyValue = ({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined => {
  const named = headers[stickyHeader];
  if (typeof named === 'string' && named !== '') return named;
  for (const pair of headers.cookie?.split(';') ?? []) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === stickyCookie) return pair.slice(at + 1).trim() || undefined;
  }
  return undefined;
};

/** Maps a value to a number below 100. A growing weight adds values to the candidate and never removes one. */
const bucketOf = (value: string): number => createHash('sha256').update(value).digest().readUInt32BE(0) % 100;

/** Checks whether the nth request goes to the candidate: evenly spread, `weight` of any hundred in a row. */
const isNth = (n: number, weight: number): boolean =>
  Math.floor(((n + 1) * weight) / 100) > Math.floor((n * weight) / 100);

/** Creates the decision which of two releases answers a request. */
export const createTrafficSplit = () => {
  let n = 0;
  return (weight: number, sticky: string | undefined): boolean => {
    if (sticky !== undefined) return bucketOf(sticky) < weight;
    n = (n + 1) % 100;
    return isNth(n, weight);
  };
};
