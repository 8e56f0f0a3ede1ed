import type { FeedChanges } from '@landfall/kernel/operator/transfers';
import Type, { type Static } from 'typebox';

const count = Type.Integer({ minimum: 0 });

/** Changes that a kit makes, or would make. */
export const changesSchema = Type.Object({
  /** Advisories. */
  added: count,
  changed: count,
  withdrawn: count,
  records: count,
  /** CVEs that are newly known to be exploited, at most so many as are listed. */
  newlyExploited: Type.Array(Type.String()),
  newlyExploitedCount: count,
  /** Documents of feeds that could not be read. */
  refused: count,
  /** Images, blobs that were sent to the registry, and attestations whose inclusion in a log was verified. */
  images: count,
  blobs: count,
  attestations: count,
  /** Attestations that a trusted signer made and no log that is known here has, and those that nobody trusted here made. */
  unloggedAttestations: Type.Optional(count),
  unknownAttestations: Type.Optional(count),
  /** Name and version of the release. */
  release: Type.Union([Type.String(), Type.Null()]),
  releaseId: Type.Union([Type.String(), Type.Null()]),
});

export type KitChanges = Static<typeof changesSchema>;

/** Changes of a kit that changes nothing. */
export const NO_CHANGES: KitChanges = {
  added: 0,
  changed: 0,
  withdrawn: 0,
  records: 0,
  newlyExploited: [],
  newlyExploitedCount: 0,
  refused: 0,
  images: 0,
  blobs: 0,
  attestations: 0,
  release: null,
  releaseId: null,
};

const LISTED = 200;

export const changesOfFeeds = ({ newlyExploited, refused, ...feeds }: FeedChanges): KitChanges => ({
  ...NO_CHANGES,
  added: feeds.added,
  changed: feeds.changed,
  withdrawn: feeds.withdrawn,
  records: feeds.records,
  newlyExploited: newlyExploited.slice(0, LISTED),
  newlyExploitedCount: newlyExploited.length,
  refused: refused.length,
});
