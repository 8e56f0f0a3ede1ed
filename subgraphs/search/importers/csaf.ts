import type { Chunk } from '../corpus/chunk.ts';
import { isIndexableName } from '../corpus/size-limits.ts';
import { chunkOf, listed, MAX_NAMES } from './chunk-builder.ts';
import { canonicalId, normalizeId, packagesOf, parsePurl } from './identifiers.ts';
import { type Reader, readEach, Unreadable } from './reader.ts';
import { type Rated, rate } from './severity.ts';
import { createStatementKeys } from './statement-key.ts';
import { type Fields, fields, instant, list, objects, required, textOf, textsOf, unique } from './values.ts';

interface Product {
  readonly name: string;
  readonly purl: string | undefined;
}

const MAX_DEPTH = 32;

/** Products by id: leaves of the tree, full names, relationships. */
const productsOf = (tree: Fields): ReadonlyMap<string, Product> => {
  const products = new Map<string, Product>();
  const add = (value: unknown): void => {
    const product = fields(value);
    const id = textOf(product.product_id);
    if (id === undefined) return;
    products.set(id, {
      name: textOf(product.name) ?? id,
      purl: textOf(fields(product.product_identification_helper).purl),
    });
  };
  const setFocused = (branches: unknown, depth: number): void => {
    if (depth > MAX_DEPTH) return;
    for (const branch of objects(branches)) {
      add(branch.product);
      setFocused(branch.branches, depth + 1);
    }
  };
  setFocused(tree.branches, 0);
  objects(tree.full_product_names).forEach(add);
  for (const relation of objects(tree.relationships)) {
    const created = fields(relation.full_product_name);
    const id = textOf(created.product_id);
    const part = products.get(textOf(relation.product_reference) ?? '');
    add(created);
    if (id !== undefined && part?.purl !== undefined)
      products.set(id, { name: textOf(created.name) ?? id, purl: part.purl });
  }
  return products;
};

/** Statuses of CSAF as VEX calls them, what matters most first. */
const STATUSES: readonly (readonly [status: string, groups: readonly string[]])[] = [
  ['affected', ['known_affected', 'first_affected', 'last_affected']],
  ['under_investigation', ['under_investigation']],
  ['fixed', ['fixed', 'first_fixed', 'recommended']],
  ['not_affected', ['known_not_affected']],
];

interface Group {
  readonly status: string;
  readonly ids: readonly string[];
}

const groupsOf = (vulnerability: Fields): Group[] => {
  const status = fields(vulnerability.product_status);
  return STATUSES.map(([word, groups]) => ({
    status: word,
    ids: unique(groups.flatMap((group) => textsOf(list(status[group])))),
  })).filter(({ ids }) => ids.length > 0);
};

const ratedOf = (vulnerability: Fields, document: Fields): Rated =>
  rate(
    ...objects(vulnerability.scores).flatMap((score) => {
      const [three, two] = [fields(score.cvss_v3), fields(score.cvss_v2)];
      return [
        { vector: three.vectorString, score: three.baseScore, word: three.baseSeverity },
        { vector: two.vectorString, score: two.baseScore, isVersion2: true },
      ];
    }),
    { word: fields(document.aggregate_severity).text },
  );

const notesOf = (value: unknown, ...categories: readonly string[]): string[] =>
  unique(
    objects(value)
      .filter((note) => categories.includes(textOf(note.category) ?? ''))
      .map((note) => textOf(note.text)),
  );

const detailsOf = (value: unknown): string[] => unique(objects(value).map((one) => textOf(one.details)));

/** Fixed versions, parsed from product names: CSAF has no field for them. */
const fixedOf = (products: readonly Product[]): string[] =>
  unique(products.map(({ purl }) => parsePurl(purl)?.version)).slice(0, 50);

const groupText = ({ status, ids }: Group, products: ReadonlyMap<string, Product>): string => {
  const names = ids.map((id) => products.get(id)?.name ?? id).filter(isIndexableName);
  return `${status.replaceAll('_', ' ')}: ${listed(names, 10)}.`;
};

const namesIn = (document: Fields, vulnerability: Fields) => {
  const ids = unique(objects(vulnerability.ids).map((id) => textOf(id.text))).map(normalizeId);
  const tracking = fields(document.tracking);
  const cve = textOf(vulnerability.cve);
  const id = cve === undefined ? ids[0] : normalizeId(cve);
  if (id === undefined) throw new Unreadable('a vulnerability has neither cve nor ids');
  return { id, name: canonicalId(id, ids), all: unique([canonicalId(id, ids), id, ...ids, textOf(tracking.id)]) };
};

interface Advisory {
  readonly id: string;
  readonly source: string;
  readonly file: string | undefined;
  readonly document: Fields;
  readonly products: ReadonlyMap<string, Product>;
  readonly uri: string | undefined;
  readonly keyOf: ReturnType<typeof createStatementKeys>;
}

const statementChunk = (
  vulnerability: Fields,
  { id, source, file, document, products, uri, keyOf }: Advisory,
): Chunk => {
  const names = namesIn(document, vulnerability);
  const groups = groupsOf(vulnerability);
  const known = groups.flatMap(({ ids }) => ids.flatMap((product) => products.get(product) ?? []));
  const purls = unique(known.map(({ purl }) => purl));
  const rated = ratedOf(vulnerability, document);
  const title = textOf(vulnerability.title) ?? textOf(document.title);
  const fixed = groups.filter(({ status }) => status === 'fixed').flatMap(({ ids }) => ids);
  return chunkOf('vulnerability', names.name, {
    domain: 'vex',
    source,
    documentKey: keyOf(`${id}/${names.id}`, undefined),
    file,
    title: title === undefined || title.includes(names.name) ? (title ?? names.name) : `${names.name}: ${title}`,
    body: [
      ...notesOf(vulnerability.notes, 'description', 'summary', 'general', 'details'),
      ...groups.map((group) => groupText(group, products)),
      ...detailsOf(vulnerability.threats).slice(0, 5),
      ...detailsOf(vulnerability.remediations).slice(0, 5),
    ],
    identifiers: [...names.all, ...purls],
    packages: packagesOf(purls).slice(0, MAX_NAMES),
    severity: rated.severity,
    ecosystem: purls.map((purl) => parsePurl(purl)?.ecosystem).find((ecosystem) => ecosystem !== undefined),
    uri,
    occurredAt: instant(vulnerability.release_date) ?? instant(fields(document.tracking).current_release_date),
    attributes: {
      status: groups[0]?.status,
      statuses: Object.fromEntries(groups.map(({ status, ids }) => [status, ids.length])),
      justification: unique(objects(vulnerability.flags).map(({ label }) => textOf(label)))[0],
      fixed: fixedOf(fixed.flatMap((product) => products.get(product) ?? [])),
      cvss: rated.score,
      cvssVector: rated.vector,
      cwes: textsOf(fields(vulnerability.cwe).id),
      publisher: textOf(fields(document.publisher).name),
      document: id,
    },
  });
};

const noticeChunk = ({ id, source, file, document, keyOf }: Advisory): Chunk =>
  chunkOf('document', `${source}/${id}`, {
    domain: 'vex',
    source,
    documentKey: keyOf(id, undefined),
    file,
    title: textOf(document.title) ?? id,
    body: notesOf(document.notes, 'description', 'summary', 'general', 'details', 'legal_disclaimer'),
    identifiers: [id],
    severity: ratedOf({}, document).severity,
    occurredAt: instant(fields(document.tracking).current_release_date),
    attributes: { publisher: textOf(fields(document.publisher).name) },
  });

/** Reads a CSAF 2.0 document: an advisory or a VEX profile, one statement for each vulnerability. */
export const readCsaf: Reader = (record, origin) => {
  const { source = 'csaf' } = origin;
  const document = fields(record.document);
  const id = required(fields(document.tracking).id, 'document.tracking.id');
  const uri = textOf(objects(document.references).find((one) => one.category === 'self')?.url);
  const advisory: Advisory = {
    id,
    source,
    file: origin.file,
    document,
    products: productsOf(fields(record.product_tree)),
    uri,
    // An id is unique only within its publisher.
    keyOf: createStatementKeys(origin, [textOf(fields(document.publisher).namespace), id]),
  };
  const statements = readEach(list(record.vulnerabilities), 'vulnerabilities', (vulnerability) =>
    statementChunk(fields(vulnerability), advisory),
  );
  return statements.length > 0 ? statements : [noticeChunk(advisory)];
};
