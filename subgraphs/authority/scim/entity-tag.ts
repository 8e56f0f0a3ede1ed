import { Fault } from '@landfall/kernel/core/fault';

/** Entity tag of a version (RFC 7644 3.14). */
export const etagOf = (version: number): string => `W/"${version}"`;

/** Tags are weak, so `W/` is no difference (RFC 9110 8.8.3.2). */
const plain = (tag: string): string => tag.trim().replace(/^W\//i, '');

export const isTagged = (header: string, version: number): boolean =>
  header.trim() === '*' || header.split(',').some((tag) => plain(tag) === plain(etagOf(version)));

/** Refuses a request for another version than the current one. @throws Fault RES_VERSION_CONFLICT */
export const refuseOther = (ifMatch: string | undefined, version: number): void => {
  if (ifMatch !== undefined && !isTagged(ifMatch, version))
    throw new Fault('RES_VERSION_CONFLICT', 'The resource has changed since it was read.', { actual: version });
};
