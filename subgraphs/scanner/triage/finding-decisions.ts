import { exampleId, type Id, idOf, type TenantId } from '@landfall/kernel/core/ids';
import type { Query } from '@landfall/kernel/db/query';
import type { Deps, ProductDirectory } from '@landfall/kernel/module';
import { patterned } from '@landfall/kernel/operation/input';
import Type from 'typebox';
import { SCANS_READ } from '../shared/scopes.ts';
import { isSuppressing } from './decision.ts';
import * as store from './decisions.store.ts';
import type { ShownDecision } from './decisions.ts';
import type { ProductImage } from './product-directory.ts';
import { getTriagedScan } from './scan-subjects.store.ts';

/** Products whose releases have one of the images; reads none while no decision is about a product. */
export const loadProductImages = async (
  query: Query,
  tenant: TenantId,
  products: ProductDirectory,
  digests: readonly string[],
): Promise<readonly ProductImage[]> =>
  digests.length > 0 && (await store.hasProductDecisions(query, tenant))
    ? products.productsOfImages(query, tenant, digests)
    : [];

/** Products whose releases have the image of a scan. */
export const loadProductsOfImage = async (
  query: Query,
  tenant: TenantId,
  products: ProductDirectory,
  imageDigest: string | null,
): Promise<readonly Id<'Product'>[]> =>
  (await loadProductImages(query, tenant, products, imageDigest === null ? [] : [imageDigest])).map(
    ({ productId }) => productId,
  );

interface ScanSubject {
  readonly id: Id<'Scan'>;
  readonly imageDigest: string | null;
}

/** Ids of the findings of a scan that a decision suppresses. */
export const loadSuppressed = async (
  query: Query,
  tenant: TenantId,
  products: ProductDirectory,
  { id: scanId, imageDigest }: ScanSubject,
): Promise<ReadonlySet<string>> => {
  const decided = await store.listOfFindings(query, tenant, {
    scanId,
    products: await loadProductsOfImage(query, tenant, products, imageDigest),
  });
  return new Set(decided.filter(({ status }) => isSuppressing(status)).map(({ findingId }) => findingId));
};

/** Ids of those findings of an image, stored or not, that a decision suppresses. */
export const loadSuppressedOf = async (
  query: Query,
  tenant: TenantId,
  products: ProductDirectory,
  { imageDigest, findings }: Pick<ScanSubject, 'imageDigest'> & { readonly findings: readonly store.TriageSubject[] },
): Promise<ReadonlySet<string>> => {
  const owners = await loadProductsOfImage(query, tenant, products, imageDigest);
  return new Set((await store.listSuppressed(query, tenant, findings, owners)).map(({ findingId }) => findingId));
};

/** Decision in force about a finding. */
interface DecidedFinding extends ShownDecision {
  readonly findingId: string;
}

const findingIds = Type.Array(
  patterned('^[0-9a-f]{32}$', 'must be the id of a finding: 32 hexadecimal digits in lower case'),
  { maxItems: 200 },
);

/** Creates the operation that reads the decisions in force about findings. */
export const createFindingDecisions = ({
  operation,
  products,
}: Pick<Deps, 'operation'> & { readonly products: ProductDirectory }) =>
  operation({
    name: 'triage.listOfFindings',
    kind: 'read',
    scope: SCANS_READ,
    input: Type.Object({ scanId: idOf('Scan'), findingIds }),
    raises: ['RES_NOT_FOUND'],
    example: { scanId: exampleId('Scan'), findingIds: ['0'.repeat(32)] },
    async run({ tenant }, { scanId, findingIds: wanted }, query): Promise<readonly DecidedFinding[]> {
      const { imageDigest } = await getTriagedScan(query, tenant, scanId);
      const decided = await store.listOfFindings(query, tenant, {
        scanId,
        findingIds: wanted,
        products: await loadProductsOfImage(query, tenant, products, imageDigest),
      });
      return decided.map((each) => ({ ...each, state: 'in_force' }));
    },
  });

export type FindingDecisions = ReturnType<typeof createFindingDecisions>;
