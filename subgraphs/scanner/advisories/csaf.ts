import { groupsOf, productsOf } from './csaf-products.ts';
import {
  type Fields,
  fields,
  list,
  objects,
  type Report,
  textOf,
  textsOf,
  timeOf,
  UnreadableDocument,
  unique,
} from './document-fields.ts';
import { countReferences, readEntries, reportUnmatchable, vulnerabilityIdsOf } from './vex-reference.ts';
import type { VexContent, VexProduct, VexStatus } from './vex-statement.ts';

/** Lists of `product_status` by the status that they mean; `recommended` says nothing about being affected. */
const STATUSES: readonly (readonly [list: string, status: VexStatus])[] = [
  ['known_affected', 'affected'],
  ['first_affected', 'affected'],
  ['last_affected', 'affected'],
  ['under_investigation', 'under_investigation'],
  ['fixed', 'fixed'],
  ['first_fixed', 'fixed'],
  ['known_not_affected', 'not_affected'],
];

interface ProductTree {
  readonly products: ReadonlyMap<string, VexProduct>;
  readonly groups: ReadonlyMap<string, readonly string[]>;
}

/** Texts by the products that they name; one without products, such as a severity, is about none. */
const textsByProduct = (
  items: readonly Fields[],
  field: string,
  { groups }: ProductTree,
): ReadonlyMap<string, string> =>
  new Map(
    items.flatMap((item) => {
      const ids = [
        ...textsOf(item.product_ids),
        ...textsOf(item.group_ids).flatMap((group) => groups.get(group) ?? []),
      ];
      const text = textOf(item[field]);
      return text === null ? [] : ids.map((id) => [id, text] as const);
    }),
  );

/** Refuses a document whose groups of products are named for more products than are read. */
const expectReadable = (record: Fields, { groups }: ProductTree): void => {
  const add = countReferences();
  for (const vulnerability of objects(record.vulnerabilities)) {
    for (const [name] of STATUSES) add(list(fields(vulnerability.product_status)[name]).length);
    for (const { product_ids, group_ids } of [...objects(vulnerability.flags), ...objects(vulnerability.threats)]) {
      add(list(product_ids).length);
      for (const group of textsOf(group_ids)) add(groups.get(group)?.length ?? 0);
    }
  }
};

/** Statements of a vulnerability: one for each status, justification and impact that its products have. */
const statementsOf = (vulnerability: Fields, tree: ProductTree) => {
  const justifications = textsByProduct(objects(vulnerability.flags), 'label', tree);
  const impacts = objects(vulnerability.threats).filter(({ category }) => category === 'impact');
  const impactStatements = textsByProduct(impacts, 'details', tree);
  const statuses = fields(vulnerability.product_status);
  const stated = STATUSES.flatMap(([name, status]) => textsOf(statuses[name]).map((id) => ({ id, status })));
  const grouped = Map.groupBy(stated, ({ id, status }) =>
    JSON.stringify([status, justifications.get(id), impactStatements.get(id)]),
  );
  return [...grouped.values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined) return [];
    const products = unique(same.map(({ id }) => id)).map(
      (id) => tree.products.get(id) ?? { name: id, purl: null, hashes: [], subcomponents: [] },
    );
    return [
      {
        status: first.status,
        justification: justifications.get(first.id) ?? null,
        impactStatement: impactStatements.get(first.id) ?? null,
        products,
      },
    ];
  });
};

/** Reads the statements of a CSAF 2 document of any category. Throws UnreadableDocument. */
export const readCsaf = (record: Fields, report: Report): VexContent => {
  const document = fields(record.document);
  const version = textOf(document.csaf_version);
  if (version === null || !/^2\.\d+$/.test(version))
    throw new UnreadableDocument(`CSAF ${version ?? ''} is not version 2`);
  const issuedAt = timeOf(fields(document.tracking).current_release_date);
  const productTree = fields(record.product_tree);
  const tree = { products: productsOf(productTree), groups: groupsOf(productTree) };
  expectReadable(record, tree);
  const statements = readEntries(
    list(record.vulnerabilities),
    { path: 'vulnerabilities', report },
    (entry, index, path) => {
      const vulnerability = fields(entry);
      const ids = objects(vulnerability.ids).map(({ text }) => textOf(text));
      const vulnerabilityIds = vulnerabilityIdsOf([textOf(vulnerability.cve), ...ids]);
      const stated = statementsOf(vulnerability, tree);
      reportUnmatchable(
        stated.flatMap(({ products }) => products),
        path,
        report,
      );
      return stated.map((statement) => ({ index, vulnerabilityIds, statedAt: issuedAt, ...statement }));
    },
  );
  return { issuedAt, statements };
};
