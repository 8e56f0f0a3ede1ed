import type { Chunk } from '../corpus/chunk.ts';
import { isIndexableName } from '../corpus/size-limits.ts';
import { chunkOf, listed, MAX_NAMES } from './chunk-builder.ts';
import { canonicalId, normalizeId, packagesOf, parsePurl } from './identifiers.ts';
import { type Reader, readEach, Unreadable } from './reader.ts';
import { createStatementKeys } from './statement-key.ts';
import { type Fields, fields, instant, isFields, list, required, textOf, textsOf, unique } from './values.ts';

const STATUSES = new Set(['not_affected', 'affected', 'fixed', 'under_investigation']);

const inWords = (word: string): string => word.replaceAll('_', ' ');

const MAX_DEPTH = 32;

/** Names of a product: a plain id, or an object with an id and subcomponents. */
const namesOfProduct = (product: unknown, depth = 0): readonly string[] => {
  if (depth > MAX_DEPTH) return [];
  if (!isFields(product)) return textsOf(product);
  const identifiers = fields(product.identifiers);
  const own = [textOf(product['@id']), textOf(identifiers.purl), textOf(identifiers.cpe23), textOf(identifiers.cpe22)];
  return unique([...own, ...list(product.subcomponents).flatMap((part) => namesOfProduct(part, depth + 1))]);
};

interface Products {
  readonly names: readonly string[];
  readonly packages: readonly string[];
  readonly ecosystem: string | undefined;
}

const productsOf = (products: unknown): Products => {
  const names = unique(list(products).flatMap((product) => namesOfProduct(product))).filter(isIndexableName);
  const ecosystem = names.map((name) => parsePurl(name)?.ecosystem).find((one) => one !== undefined);
  return { names, packages: packagesOf(names), ecosystem };
};

interface Named {
  readonly id: string;
  readonly aliases: readonly string[];
  readonly description: string | undefined;
}

/** Version 0.0 of OpenVEX names a vulnerability by a text, later ones by an object. */
const vulnerabilityOf = (statement: Fields): Named => {
  const { vulnerability } = statement;
  const named = fields(vulnerability);
  const text = isFields(vulnerability) ? (named.name ?? named['@id']) : vulnerability;
  const id = normalizeId(required(text, 'vulnerability').replace(/^https?:\/\/\S+\/(?=[^/]+$)/, ''));
  const aliases = [...textsOf(list(named.aliases)), ...textsOf(list(statement.aliases))].map(normalizeId);
  return { id, aliases, description: textOf(named.description) };
};

interface Sheet {
  readonly document: Fields;
  readonly source: string;
  readonly file: string | undefined;
  readonly products: Products;
}

const statementChunk = (statement: Fields, key: string, { document, source, file, ...shared }: Sheet): Chunk => {
  const status = required(statement.status, 'status');
  if (!STATUSES.has(status)) throw new Unreadable(`status is '${status}', none of OpenVEX`);
  const { id, aliases, description } = vulnerabilityOf(statement);
  const name = canonicalId(id, aliases);
  const {
    names: products,
    packages,
    ecosystem,
  } = statement.products ? productsOf(statement.products) : shared.products;
  const about = packages.length > 0 ? packages : products;
  const justification = textOf(statement.justification);
  return chunkOf('vulnerability', name, {
    domain: 'vex',
    source,
    documentKey: key,
    file,
    title: `${name}: ${inWords(status)}${about.length > 0 ? ` in ${listed(about, 3)}` : ''}`,
    body: [
      `${name} is ${inWords(status)}${justification === undefined ? '' : ` (${inWords(justification)})`}${about.length > 0 ? ` in ${listed(about)}` : ''}.`,
      textOf(statement.impact_statement),
      textOf(statement.action_statement),
      textOf(statement.status_notes),
      description,
    ],
    identifiers: [name, id, ...aliases, ...products.slice(0, MAX_NAMES)],
    packages: packages.slice(0, MAX_NAMES),
    ecosystem,
    occurredAt: instant(statement.timestamp) ?? instant(document.timestamp),
    attributes: {
      status,
      justification,
      products: products.slice(0, 50),
      productCount: products.length,
      author: textOf(document.author),
      document: textOf(document['@id']),
    },
  });
};

/** Reads every statement of an OpenVEX document, each for its vulnerability. Repositories give many files one `@id`. */
export const readOpenVex: Reader = (document, origin) => {
  if (!Array.isArray(document.statements)) throw new Unreadable('statements is not a list');
  const source = origin.source ?? 'openvex';
  const sheet = { document, source, file: origin.file, products: productsOf(document.products) };
  const keyOf = createStatementKeys(origin, document['@id']);
  return readEach(list(document.statements), 'statements', (text) => {
    const statement = fields(text);
    const { id } = vulnerabilityOf(statement);
    return statementChunk(statement, keyOf(id, statement.products ?? document.products), sheet);
  });
};
