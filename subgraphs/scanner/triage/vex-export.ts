import { exampleId, idOf } from '@landfall/kernel/core/ids';
import type { Deps, ProductDirectory } from '@landfall/kernel/module';
import Type from 'typebox';
import { SCANS_READ } from '../shared/scopes.ts';
import * as store from './decisions.store.ts';
import { loadProductsOfImage } from './finding-decisions.ts';
import { openVexDocument } from './openvex-document.ts';
import { getTriagedScan, listTriagedFindings } from './scan-subjects.store.ts';

/** Creates the operation that exports the decisions in force about the findings of a scan as OpenVEX. */
export const createVexExport = ({
  operation,
  products,
}: Pick<Deps, 'operation'> & { readonly products: ProductDirectory }) =>
  operation({
    name: 'triage.exportVex',
    kind: 'read',
    scope: SCANS_READ,
    cost: 10,
    input: Type.Object({ scanId: idOf('Scan') }),
    raises: ['RES_NOT_FOUND'],
    example: { scanId: exampleId('Scan') },
    /** @returns the document; undefined where no finding of the scan is decided */
    async run({ tenant }, { scanId }, query): Promise<string | undefined> {
      const scan = await getTriagedScan(query, tenant, scanId);
      const decided = await store.listOfFindings(query, tenant, {
        scanId,
        products: await loadProductsOfImage(query, tenant, products, scan.imageDigest),
      });
      const decisionOf = new Map(decided.map((decision) => [decision.findingId, decision]));
      const findings = await listTriagedFindings(query, tenant, scanId, [...decisionOf.keys()]);
      return openVexDocument(
        scan,
        findings.flatMap((finding) => {
          const decision = decisionOf.get(finding.findingId);
          return decision ? [{ ...finding, decision }] : [];
        }),
      );
    },
  });
