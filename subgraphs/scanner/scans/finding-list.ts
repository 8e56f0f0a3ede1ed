import { Fault } from '@landfall/kernel/core/fault';
import { exampleId, idOf, isId } from '@landfall/kernel/core/ids';
import type { Deps, ProductDirectory } from '@landfall/kernel/module';
import { freeText, oneOf } from '@landfall/kernel/operation/input';
import { pageFields, pageOf } from '@landfall/kernel/operation/page';
import Type from 'typebox';
import { FINDINGS_READ, SCANS_READ } from '../shared/scopes.ts';
import { loadProductImages, loadProductsOfImage } from '../triage/finding-decisions.ts';
import * as store from './findings.store.ts';
import * as scans from './scans.store.ts';

export type CurrentFinding = store.CurrentFinding;

const FINDING_ID = /^[0-9a-f]{32}$/;
const SCORE = /^\d{1,7}$/;

/** Cursor of a list of findings. */
export const findingCursor = ({ scanId, findingId }: store.FindingPosition): string =>
  Buffer.from(`${scanId}/${findingId}`).toString('base64url');

/** Cursor of a list by score. It has the score, because a rescoring may take the finding itself away. */
export const rankedCursor = ({ scanId, findingId, scorePpm }: Required<store.FindingPosition>): string =>
  Buffer.from(`${scanId}/${findingId}/${scorePpm}`).toString('base64url');

/** Position of a cursor. @throws Fault VAL_INVALID_FORMAT for a text that is no cursor of findings */
export const positionOf = (after: string | undefined): store.FindingPosition | undefined => {
  if (after === undefined) return undefined;
  const [scanId = '', findingId = '', score] = Buffer.from(after, 'base64url').toString().split('/');
  if (isId(scanId, 'Scan') && FINDING_ID.test(findingId)) {
    if (score === undefined) return { scanId, findingId };
    if (SCORE.test(score)) return { scanId, findingId, scorePpm: Number(score) };
  }
  throw new Fault('VAL_INVALID_FORMAT', 'This cursor is not one of ours.', undefined, [
    { field: 'after', message: 'is not a cursor of this list', code: 'VAL_INVALID_FORMAT' },
  ]);
};

const filterInput = Type.Object({
  severities: Type.Optional(Type.Array(oneOf('critical', 'high', 'medium', 'low', 'none'), { maxItems: 5 })),
  kev: Type.Optional(Type.Boolean()),
  isReachable: Type.Optional(Type.Boolean()),
  text: Type.Optional(freeText(200)),
});

/** Creates the operations that list findings. */
export const createFindingList = ({
  operation,
  products,
}: Pick<Deps, 'operation'> & { readonly products: ProductDirectory }) => ({
  /** Findings of one scan, the highest score first. */
  ofScan: operation({
    name: 'finding.list',
    kind: 'read',
    scope: SCANS_READ,
    input: Type.Object({
      ...pageFields,
      scanId: idOf('Scan'),
      filter: Type.Optional(filterInput),
      suppressed: Type.Optional(Type.Boolean()),
    }),
    raises: ['RES_NOT_FOUND'],
    example: { scanId: exampleId('Scan') },
    async run({ tenant }, { scanId, filter = {}, suppressed: isSuppressed, first = 50, after }, query) {
      const { imageDigest } = await scans.get(query, tenant, scanId);
      const rows = await store.listOfScan(
        query,
        tenant,
        scanId,
        {
          ...filter,
          isSuppressed,
          products: isSuppressed === undefined ? [] : await loadProductsOfImage(query, tenant, products, imageDigest),
        },
        { after: positionOf(after), limit: first + 1 },
      );
      return pageOf(rows, first);
    },
  }),

  /** Findings of the newest scans without a decision in force, the highest score first. */
  undecided: operation({
    name: 'finding.listUndecided',
    kind: 'read',
    scope: SCANS_READ,
    input: Type.Object(pageFields),
    example: { first: 10 },
    async run({ tenant }, { first = 50, after }, query) {
      const digests = await store.listScannedImages(query, tenant);
      const rows = await store.listUndecided(query, tenant, {
        after: positionOf(after),
        limit: first + 1,
        productImages: await loadProductImages(query, tenant, products, digests),
      });
      return pageOf(rows, first);
    },
  }),

  /** Findings of the newest completed scan of each image or other subject. */
  current: operation({
    name: 'finding.listCurrent',
    kind: 'read',
    scope: FINDINGS_READ,
    input: Type.Object(pageFields),
    example: { first: 10 },
    async run({ tenant }, { first = 50, after }, query) {
      return pageOf(await store.listCurrent(query, tenant, { after: positionOf(after), limit: first + 1 }), first);
    },
  }),
});
