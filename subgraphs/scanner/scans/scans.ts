import { exampleId, idOf } from '@landfall/kernel/core/ids';
import type { Deps } from '@landfall/kernel/module';
import { digest } from '@landfall/kernel/operation/input';
import { pageFields, readPage } from '@landfall/kernel/operation/page';
import Type from 'typebox';
import { SCANS_READ } from '../shared/scopes.ts';
import { createAffected } from './affected.ts';
import { createFindingList } from './finding-list.ts';
import * as store from './scans.store.ts';
import { createSubmission } from './submission.ts';

/** Creates the operations on scans and their findings. */
export const createScans = (deps: Deps) => {
  const { operation } = deps;
  return {
    ...createSubmission(deps),
    findings: createFindingList(deps),
    affected: createAffected(deps),

    get: operation({
      name: 'scan.get',
      kind: 'read',
      scope: SCANS_READ,
      input: Type.Object({ id: idOf('Scan') }),
      raises: ['RES_NOT_FOUND'],
      example: { id: exampleId('Scan') },
      run: ({ tenant }, { id }, query) => store.get(query, tenant, id),
    }),

    list: operation({
      name: 'scan.list',
      kind: 'read',
      scope: SCANS_READ,
      input: Type.Object({ ...pageFields, imageDigest: Type.Optional(digest) }),
      example: { first: 10 },
      run: ({ tenant }, { imageDigest, ...page }, query) =>
        readPage(page, (bounds) => store.list(query, tenant, { imageDigest }, bounds)),
    }),
  };
};

export type Scans = ReturnType<typeof createScans>;
