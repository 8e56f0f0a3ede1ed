import { exampleId, idOf } from '@landfall/kernel/core/ids';
import { sha256 } from '@landfall/kernel/crypto/digest';
import type { Deps, ProductDirectory } from '@landfall/kernel/module';
import { digest, freeText } from '@landfall/kernel/operation/input';
import { decodeCursor, pageFields, readPage } from '@landfall/kernel/operation/page';
import Type from 'typebox';
import { SCANS_READ } from '../shared/scopes.ts';
import { createAffected } from './affected.ts';
import { createComponentList } from './component-list.ts';
import { createFindingList } from './finding-list.ts';
import * as store from './scans.store.ts';
import { createSubmission } from './submission.ts';
import { createVulnerabilityLocations } from './vulnerability-locations.ts';

/** Images of one statement: those of the releases of a page, platforms included. */
const MAX_IMAGES = 20_000;

/** Creates the operations on scans and their findings. */
export const createScans = (deps: Deps & { readonly products: ProductDirectory }) => {
  const { operation } = deps;
  return {
    ...createSubmission(deps),
    findings: createFindingList(deps),
    components: createComponentList(deps),
    affected: createAffected(deps),
    locations: createVulnerabilityLocations(deps),

    get: operation({
      name: 'scan.get',
      kind: 'read',
      scope: SCANS_READ,
      input: Type.Object({ id: idOf('Scan') }),
      raises: ['RES_NOT_FOUND'],
      example: { id: exampleId('Scan') },
      run: ({ tenant }, { id }, query) => store.get(query, tenant, id),
    }),

    /** Scans of each image, newest first: of each one more than `first` if there are more. */
    listOfImages: operation({
      name: 'scan.listOfImages',
      kind: 'read',
      scope: SCANS_READ,
      input: Type.Object({ ...pageFields, imageDigests: Type.Array(digest, { maxItems: MAX_IMAGES }) }),
      example: { imageDigests: [sha256(exampleId('Scan'))] },
      run: ({ tenant }, { imageDigests, first = 10, after }, query) =>
        store.listOfImages(query, tenant, imageDigests, {
          limit: first + 1,
          after: after === undefined ? undefined : decodeCursor(after),
        }),
    }),

    list: operation({
      name: 'scan.list',
      kind: 'read',
      scope: SCANS_READ,
      input: Type.Object({
        ...pageFields,
        imageDigest: Type.Optional(digest),
        subject: Type.Optional(freeText(500)),
      }),
      example: { first: 10 },
      run: ({ tenant }, { imageDigest, subject, ...page }, query) =>
        readPage(page, (bounds) => store.list(query, tenant, { imageDigest, subject }, bounds)),
    }),
  };
};

export type Scans = ReturnType<typeof createScans>;
