import type { Who } from '@landfall/kernel/core/caller';
import { type Id, toId } from '@landfall/kernel/core/ids';
import { people } from '@landfall/kernel/testing/callers';
import { bodyOf, bomThrough } from './bom.ts';
import { importRecords } from './feeds.ts';
import { osvRecord } from './osv.ts';
import { rescoreApp } from './rescore-app.ts';

export const PRODUCT = toId('01900000-0000-7000-8000-0000000000f1', 'Product');
export const OTHER_PRODUCT = toId('01900000-0000-7000-8000-0000000000f2', 'Product');
const MISSING = toId('01900000-0000-7000-8000-0000000000f3', 'Product');

const who: Who = people['scan-operator'];

/** A decision about gate 1.1.0 of npm and CVE-2026-1000: not affected. */
export const NOT_AFFECTED = {
  vulnerabilityId: 'CVE-2026-1000',
  scope: 'component',
  component: 'pkg:npm/gate@1.1.0',
  status: 'not_affected',
  justification: 'vulnerable_code_not_in_execute_path',
  reason: 'The parser that is vulnerable is never called here.',
} as const;

/** A decision about every finding of the tenant. */
export const TENANT_WIDE = {
  vulnerabilityId: 'CVE-2026-1000',
  scope: 'tenant',
  status: 'false_positive',
  reason: 'The advisory names the wrong package.',
} as const;

const FINDINGS = `query ($id: ID!, $suppressed: Boolean) { scan(id: $id) { openVex findings(suppressed: $suppressed) {
  edges { node { findingId scanId vulnId purl score vex isSuppressed viewerCanTriage { allowed code }
    decision { id status scope state reason suppresses decidedBy { id } product { id } viewerCanRevoke { allowed } } } } } } }`;

interface ShownFinding {
  readonly vulnId: string;
  readonly purl: string;
  readonly score: number;
  readonly vex: string;
  readonly isSuppressed: boolean;
  readonly decision: Readonly<Record<string, unknown>> | null;
}

/** The scanner over an advisory about gate, with two products whose images the test assigns. */
export const triageApp = async (options: Parameters<typeof rescoreApp>[0] = {}) => {
  const images = new Map<string, Id<'Product'>>();
  const app = await rescoreApp({
    ...options,
    products: {
      exists: async (_query, _tenant, id) => id !== MISSING,
      productsOfImages: async (_query, _tenant, digests) =>
        digests.flatMap((digest) => {
          const productId = images.get(digest);
          return productId ? [{ digest, productId }] : [];
        }),
    },
  });
  const { triage, scans, runScans } = app.module;
  const show = async (id: string, suppressed?: boolean, as: Who = who) => {
    const { data, errors } = await app.graph(FINDINGS, { id, suppressed }, { as });
    if (errors) throw new Error(JSON.stringify(errors));
    const shown: { scan: { openVex: string | null; findings: { edges: { node: ShownFinding }[] } } } = JSON.parse(
      JSON.stringify(data),
    );
    return { openVex: shown.scan.openVex, findings: shown.scan.findings.edges.map(({ node }) => node) };
  };
  return {
    ...app,
    who,
    /** Assigns an image to a product. */
    release: (digest: string, product: Id<'Product'>) => void images.set(digest, product),
    missingProduct: MISSING,
    decide: (changes: object = {}) => triage.decide(who, { ...NOT_AFFECTED, ...changes }),
    revoke: (id: string) => triage.revoke(who, { id, reason: 'The parser is called since release 4.' }),
    show,
    findingsOf: async (id: string, suppressed?: boolean) => (await show(id, suppressed)).findings,
    /** The decision in force about the only finding of a scan: status and scope. */
    decisionOf: async (id: string): Promise<readonly unknown[] | null> => {
      const [finding] = (await show(id)).findings;
      return finding?.decision ? [finding.decision.status, finding.decision.scope] : null;
    },
    /** Scans a bill of any text. */
    scanBill: async (bill: string, subject: object = {}): Promise<Id<'Scan'>> => {
      const { digest: sbomDigest } = await scans.receive(who, bodyOf(bill));
      const { scan } = await scans.create(who, { sbomDigest, ...subject });
      await runScans();
      return scan.id;
    },
    bomThrough,
    import: (...records: Parameters<typeof osvRecord>[]) =>
      importRecords(
        app.deps,
        records.map((record) => osvRecord(...record)),
      ),
  };
};
