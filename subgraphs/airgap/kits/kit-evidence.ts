import { toId } from '@landfall/kernel/core/ids';
import type { EvidenceReaders } from '@landfall/kernel/module';
import * as statements from './carried-statements.store.ts';

/** Statements that came by kit as evidence of their release, by the event that announces them. */
export const kitEvidence: EvidenceReaders = new Map([
  [
    'kit.carryStatement',
    async (query, tenant, { data }) => {
      const found = await statements.find(query, tenant, toId(String(data.statementId), 'KitStatement'));
      if (!found) return undefined;
      const { id, releaseId, bundle } = found;
      return {
        bomRef: `landfall:release:${releaseId}`,
        serialNumber: `urn:uuid:${id}`,
        content: Buffer.from(bundle),
        references: [{ kind: 'Release', id: releaseId }],
      };
    },
  ],
]);
