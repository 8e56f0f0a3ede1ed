import type { TenantId } from '@landfall/kernel/core/ids';
import { boolean, bytes, double, instant, integer, oneOf, tenantId, text } from '@landfall/kernel/db/columns';
import type { Query } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';

const anchors = table('airgap.anchors', {
  tenant: tenantId,
  digest: text,
  source: oneOf('rfc3161', 'operator_dsse'),
  challenge: integer,
  anchorTime: instant,
  accuracySeconds: double,
  token: bytes,
  trustRootDigest: text.nullable(),
  trusted: boolean,
  isFuture: boolean,
  acceptedAt: instant,
  acceptedMonotonic: double,
  bootId: text,
  acceptedBy: text,
});

/** Time anchor as it was accepted. */
export type Anchor = RowOf<typeof anchors>;

export const { insert } = anchors;

export const exists = (query: Query, tenant: TenantId, digest: string): Promise<boolean> =>
  anchors.existsWhere(query, 'exists', sql`tenant = ${tenant} and digest = ${digest}`);

/** Latest anchor that was trusted by one of some roots; null for whichever root. */
export const findLatestTrusted = (query: Query, tenant: TenantId, roots: readonly string[] | null) =>
  anchors.findWhere(
    query,
    'findLatestTrusted',
    sql`tenant = ${tenant} and trusted and (${roots}::text[] is null or trust_root_digest = any(${roots}::text[]))
      order by anchor_time desc, accepted_at desc limit 1`,
  );

/** Latest anchor, trusted or not. */
export const findLatest = (query: Query, tenant: TenantId): Promise<Anchor | undefined> =>
  anchors.findWhere(query, 'findLatest', sql`tenant = ${tenant} order by anchor_time desc, accepted_at desc limit 1`);
