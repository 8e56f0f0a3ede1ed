import type { Who } from '@landfall/kernel/core/caller';
import { sha256 } from '@landfall/kernel/crypto/digest';
import type { Deps } from '@landfall/kernel/module';
import { people } from '@landfall/kernel/testing/callers';
import { createVexSources } from '../vex/vex-sources.ts';
import { bodyOf, bomThrough } from './bom.ts';
import { importRecords } from './feeds.ts';
import { osvRecord } from './osv.ts';
import { scannerApp } from './scanner-app.ts';

/** Digest of the image that `vexApp` scans. */
export const IMAGE = sha256('image');

const who: Who = people['scan-operator'];

/** Statement of an OpenVEX document. */
interface GivenStatement {
  readonly vulnerability?: string;
  readonly status?: string;
  readonly products?: readonly unknown[];
  readonly justification?: string | null;
  readonly timestamp?: string;
}

/** OpenVEX document; a statement is about gate of npm and CVE-2026-1000, and says not affected, unless it says otherwise. */
export const openVex = (...statements: readonly GivenStatement[]): string =>
  JSON.stringify({
    '@context': 'https://openvex.dev/ns/v0.2.0',
    '@id': 'https://supplier.example/vex',
    timestamp: '2026-01-01T00:00:00Z',
    statements: statements.map(({ vulnerability, products, status = 'not_affected', justification, ...more }) => ({
      vulnerability: { name: vulnerability ?? 'CVE-2026-1000' },
      products: products ?? [{ '@id': 'pkg:npm/gate' }],
      status,
      ...(justification === null ? {} : { justification: justification ?? 'component_not_present' }),
      ...more,
    })),
  });

const FINDINGS = `query ($id: ID!) { scan(id: $id) { score rootHash findings { edges { node { vulnId vex score
  vexStatement { documentDigest index source status justification timestamp }
  statements { notChosen statement { source status trust } } ssvc { cveId exploitation automatable technicalImpact } } } } } }`;

interface ShownFinding {
  readonly vulnId: string;
  readonly vex: string;
  readonly score: number;
  readonly vexStatement: Readonly<Record<string, unknown>> | null;
  readonly statements: readonly {
    readonly notChosen: string | null;
    readonly statement: Readonly<Record<string, unknown>>;
  }[];
  readonly ssvc: Readonly<Record<string, unknown>> | null;
}

/** The scanner over an advisory about gate, with sources of VEX and scans of an image that has gate. */
export const vexApp = async (options: Parameters<typeof scannerApp>[0] = {}) => {
  const app = await scannerApp(options);
  await importRecords(app.deps, [osvRecord('GHSA-2c2c-3f3f-4g4g', 'gate', { aliases: ['CVE-2026-1000'] })]);
  const { vexSources, vexDocuments, scans, runScans } = app.module;
  let scanned = 0;
  return {
    ...app,
    who,
    source: (name: string, more: object = {}) => vexSources.create(who, { name, rank: 10, trust: 'trusted', ...more }),
    import: (source: string, document: string, signature?: string) =>
      vexDocuments.import(who, { source, document, signature }),
    /** Scans a bill, under a name of its own unless the subject is that of the bill. @returns the id of the scan */
    scan: async (
      bom: string = bomThrough('first'),
      subject: object = { imageDigest: IMAGE, name: `image ${++scanned}` },
    ): Promise<string> => {
      const { digest: sbomDigest } = await scans.receive(who, bodyOf(bom));
      const { scan } = await scans.create(who, { sbomDigest, ...subject });
      await runScans();
      return scan.id;
    },
    /** The findings of a scan as the graph shows them. */
    findings: async (id: string): Promise<readonly ShownFinding[]> => {
      const { data, errors } = await app.graph(FINDINGS, { id }, { as: who });
      if (errors) throw new Error(JSON.stringify(errors));
      const shown: { scan: { findings: { edges: { node: ShownFinding }[] } } } = JSON.parse(JSON.stringify(data));
      return shown.scan.findings.edges.map(({ node }) => node);
    },
  };
};

/** Registers a source of VEX documents. */
export const registerVexSource = (deps: Pick<Deps, 'operation' | 'ids'>, source: object) =>
  createVexSources(deps).create(people['scan-operator'], source);
