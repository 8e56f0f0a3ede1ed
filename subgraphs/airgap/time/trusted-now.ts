import type { Anchor } from './anchors.store.ts';
import type { MonotonicReading } from './monotonic-clock.ts';

interface Clocks {
  readonly wall: Date;
  readonly monotonic: MonotonicReading;
  /** Latest time ever stored. */
  readonly highest: Date | undefined;
}

type AcceptedAnchor = Pick<Anchor, 'anchorTime' | 'acceptedMonotonic' | 'bootId'>;

/** Time of an anchor plus what the monotonic clock counted since; after a boot only the anchor's own time is known. */
const carried = ({ anchorTime, acceptedMonotonic, bootId }: AcceptedAnchor, monotonic: MonotonicReading): number =>
  anchorTime.getTime() + (bootId === monotonic.bootId ? Math.max(0, monotonic.ms - acceptedMonotonic) : 0);

/** Latest of all times that are known (proofs 8.2), so that a clock set back makes nothing look fresh. */
export const trustedNow = ({ wall, monotonic, highest }: Clocks, anchor: AcceptedAnchor | undefined): Date =>
  new Date(Math.max(wall.getTime(), highest?.getTime() ?? 0, anchor ? carried(anchor, monotonic) : 0));
