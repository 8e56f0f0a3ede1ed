import { safeAddress } from './address.ts';
import { isTreeObject, type JsonTree, type JsonTreeObject } from './json-template.ts';
import { bytesOf, type Cutter, cutMember, fitBytes } from './shrink.ts';

/** Bytes of a webhook's body; beyond it the data is thin. */
const WEBHOOK_BYTES = 20 * 1024;
/** Bytes that the sender needs around the data: type, timestamp, delivery and the address to fetch the rest. */
const WEBHOOK_ENVELOPE_BYTES = 2 * 1024;
/** Limits of PagerDuty's Events API v2. */
export const PAGERDUTY_LIMITS = { summary: 1_024, field: 255, bytes: 512 * 1024 } as const;

/** Most bytes of a webhook's data. */
export const WEBHOOK_DATA_BYTES = WEBHOOK_BYTES - WEBHOOK_ENVELOPE_BYTES;

interface ThinSource {
  readonly event: { readonly eventId: string; readonly kind: string; readonly at: string };
  readonly group: { readonly count: number; readonly open: number };
  readonly links: { readonly self?: string | undefined };
}

/** Data of a webhook; one that is too large names the event only, and the receiver fetches the rest. */
export const fitWebhook = (
  data: JsonTreeObject,
  { event, group, links }: ThinSource,
  cutter: Cutter,
): JsonTreeObject => {
  if (bytesOf(data) <= WEBHOOK_DATA_BYTES) return data;
  cutter.hasCut = true;
  const { eventId, kind, at } = event;
  const { count, open } = group;
  const thin: JsonTreeObject = { truncated: true, eventId, kind, at, group: { count, open } };
  const url = safeAddress(links.self ?? '');
  return url === '' ? thin : { ...thin, url };
};

/** Event of PagerDuty: its summary and short fields are cut, and details that are too large are left out. */
export const fitPagerduty = (message: JsonTreeObject, cutter: Cutter): JsonTreeObject => {
  const payload: JsonTree | undefined = message.payload;
  cutMember(payload, 'summary', PAGERDUTY_LIMITS.summary, cutter);
  for (const name of ['source', 'component', 'group', 'class'])
    cutMember(payload, name, PAGERDUTY_LIMITS.field, cutter);
  if (bytesOf(message) > PAGERDUTY_LIMITS.bytes && isTreeObject(payload)) {
    payload.custom_details = { truncated: true };
    cutter.hasCut = true;
  }
  fitBytes(message, PAGERDUTY_LIMITS.bytes, cutter);
  return message;
};
