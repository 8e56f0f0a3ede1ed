import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { SEVERITIES } from '../shared/domains.ts';

/**
 * Contract of scanners: events of entity `Scan` with the scan's id. `scan.findings` comes first, in pages of at most
 * 200, then `scan.complete` or `scan.fail`. The findings of the newest complete scan of an image replace those of the
 * previous one. `scan.rescore` replaces the score of a scan after changed feeds: pages with the findings that appeared
 * come before it, and it names those that went away. `scan.remove` removes a scan with its findings. Pages and
 * completions may be repeated.
 */

/** Findings of one event at most: some 60 kB of its row. */
export const MAX_FINDINGS = 200;

const text = Type.String({ maxLength: 2_000 });
const severity = Type.Unsafe<(typeof SEVERITIES)[number]>(Type.Enum([...SEVERITIES]));

const subject = {
  /** `sha256:…`: which image. */
  imageDigest: text,
  image: Type.Optional(text),
};

/** Finding as in `GET /api/v2/security/findings`, with aliases. */
const scannedFinding = Type.Object({
  findingId: text,
  purl: text,
  vulnId: text,
  aliases: Type.Optional(Type.Array(text)),
  title: Type.Optional(text),
  severity: Type.Optional(severity),
  cvss: Type.Optional(Type.Number()),
  epss: Type.Optional(Type.Number()),
  kev: Type.Optional(Type.Boolean()),
  reachability: Type.Optional(text),
  exposure: Type.Optional(text),
  vex: Type.Optional(text),
  fixedVersion: Type.Optional(text),
  /** Whether a triage decision suppresses it: it notifies nobody. */
  suppressed: Type.Optional(Type.Boolean()),
});

/** Score and severities of a scan. */
const results = {
  /** 0 to 1. */
  score: Type.Optional(Type.Number()),
  rootHash: Type.Optional(text),
  /** Numbers of findings that no triage decision suppresses. */
  severities: Type.Optional(Type.Partial(Type.Record(severity, Type.Integer({ minimum: 0 })))),
  /** Number of the suppressed ones. */
  suppressedCount: Type.Optional(Type.Integer({ minimum: 0 })),
};

export type ScannedFinding = Static<typeof scannedFinding>;

const scanEventData = {
  'scan.findings': Type.Object({ ...subject, findings: Type.Array(scannedFinding, { maxItems: MAX_FINDINGS }) }),
  'scan.complete': Type.Object({
    ...subject,
    releaseId: Type.Optional(text),
    ...results,
  }),
  'scan.rescore': Type.Object({
    ...subject,
    ...results,
    disappeared: Type.Array(Type.Object({ findingId: text }), { maxItems: MAX_FINDINGS }),
  }),
  'scan.fail': Type.Object({ ...subject, releaseId: Type.Optional(text), error: text }),
  'scan.remove': Type.Object({}),
} as const;

type ScanEvent = keyof typeof scanEventData;
export type ScanData<T extends ScanEvent> = Static<(typeof scanEventData)[T]>;

const validators = new Map<string, (data: unknown) => boolean>(
  Object.entries(scanEventData).map(([type, schema]) => {
    const validator = Compile(schema);
    return [type, (data) => validator.Check(data)];
  }),
);

/** Validates event data; invalid events are ignored. */
export const isScanData = <T extends ScanEvent>(type: T, data: unknown): data is ScanData<T> =>
  validators.get(type)?.(data) ?? false;
