import type { FeedChanges } from '@landfall/kernel/operator/transfers';
import Type, { type Static } from 'typebox';

const count = Type.Integer({ minimum: 0 });

const outcome = Type.Enum(['pass', 'fail', 'not_evaluated']);

/** Gate of scans about releases, by the feeds in force and by those of a kit. */
const gateSchema = Type.Object({
  /** Terms of the rule. */
  rule: Type.String(),
  /** Releases that were evaluated. */
  releases: count,
  /** Whether there are more releases. */
  isCut: Type.Boolean(),
  /** Components of them without a scan, about which no rule says anything. */
  unscanned: count,
  /** Results that change, of which the first are listed. */
  changed: count,
  changes: Type.Array(
    Type.Object({
      releaseId: Type.String(),
      /** Name and version, for those who read without the graph. */
      release: Type.String(),
      component: Type.String(),
      environments: Type.Array(Type.String()),
      before: outcome,
      after: outcome,
      /** First findings that meet the rule on one side alone. */
      causes: Type.Array(Type.Object({ vulnId: Type.String(), purl: Type.String(), kev: Type.Boolean() })),
    }),
  ),
});

export type KitGate = Static<typeof gateSchema>;
export type KitGateChange = KitGate['changes'][number];

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
  /** Gate of a dry run of feeds. */
  gate: Type.Optional(gateSchema),
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
