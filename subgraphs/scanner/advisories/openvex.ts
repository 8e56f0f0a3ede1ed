import {
  type Fields,
  fields,
  isFields,
  list,
  type Report,
  textOf,
  textsOf,
  timeOf,
  UnreadableDocument,
} from './document-fields.ts';
import {
  countReferences,
  hashOf,
  readEntries,
  referenceOf,
  reportUnmatchable,
  vulnerabilityIdsOf,
} from './vex-reference.ts';
import { VEX_STATUSES, type VexContent, type VexProduct, type VexReference } from './vex-statement.ts';

const componentOf = (value: unknown): VexReference => {
  // Version 0.0 writes a text.
  const written = isFields(value) ? value : { '@id': value };
  const { purl, cpe23, cpe22 } = fields(written.identifiers);
  return referenceOf({
    names: [textOf(written['@id']), textOf(purl), textOf(cpe23), textOf(cpe22)],
    hashes: Object.entries(fields(written.hashes)).map(([algorithm, hash]) => hashOf(algorithm, textOf(hash))),
  });
};

const productOf = (value: unknown, shared: readonly unknown[]): VexProduct => ({
  ...componentOf(value),
  subcomponents: [...list(fields(value).subcomponents), ...shared].map(componentOf),
});

/** Versions 0.0 name a vulnerability by a text, later ones by an object. */
const idsOf = ({ vulnerability, aliases }: Fields): readonly string[] => {
  const named = fields(vulnerability);
  const own = isFields(vulnerability) ? [textOf(named.name) ?? textOf(named['@id'])] : [textOf(vulnerability)];
  return vulnerabilityIdsOf([...own, ...textsOf(named.aliases), ...textsOf(aliases)]);
};

const productsOf = (statement: Fields, document: Fields): readonly unknown[] =>
  list(statement.products ?? document.products);

/** Refuses a document whose shared lists of products and subcomponents multiply to more than is read. */
const expectReadable = (document: Fields): void => {
  const add = countReferences();
  for (const entry of list(document.statements)) {
    const statement = fields(entry);
    const products = productsOf(statement, document);
    add(products.length * (1 + list(statement.subcomponents).length));
    for (const product of products) add(list(fields(product).subcomponents).length);
  }
};

/** Reads the statements of an OpenVEX document. Throws UnreadableDocument. */
export const readOpenVex = (document: Fields, report: Report): VexContent => {
  if (!Array.isArray(document.statements)) throw new UnreadableDocument('statements is not a list');
  expectReadable(document);
  const issuedAt = timeOf(document.last_updated) ?? timeOf(document.timestamp);
  const statements = readEntries(document.statements, { path: 'statements', report }, (entry, index, path) => {
    const statement = fields(entry);
    const status = VEX_STATUSES.find((one) => one === statement.status);
    if (status === undefined)
      throw new UnreadableDocument(`the status ${textOf(statement.status) ?? ''} is none of OpenVEX`);
    const vulnerabilityIds = idsOf(statement);
    const shared = list(statement.subcomponents);
    const products = productsOf(statement, document).map((product) => productOf(product, shared));
    reportUnmatchable(products, path, report);
    const statedAt = timeOf(statement.last_updated) ?? timeOf(statement.timestamp) ?? issuedAt;
    const justification = textOf(statement.justification);
    const impactStatement = textOf(statement.impact_statement);
    return [{ index, vulnerabilityIds, status, justification, impactStatement, statedAt, products }];
  });
  return { issuedAt, statements };
};
