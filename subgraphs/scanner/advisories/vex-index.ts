import type { Purl } from '../packages/purl.ts';
import type { SourcedStatement, VexSubject } from './vex-ruling.ts';
import type { VexProduct, VexReference } from './vex-statement.ts';

const nameOf = ({ type, namespace, name }: Purl): string => `${type}/${namespace ?? ''}/${name}`;

/** Keys of a reference: its package URL without the version, and its hashes. */
const keysOf = ({ purl, hashes }: Omit<VexReference, 'name'>): readonly string[] => [
  ...(purl === null ? [] : [nameOf(purl)]),
  ...hashes,
];

interface KeyedProduct {
  readonly key: string;
  readonly product: VexProduct;
}

/** Product under each of its keys: those of the subcomponents, one of which the component must be, otherwise its own. */
const keyedProducts = (product: VexProduct): KeyedProduct[] =>
  product.subcomponents.length > 0
    ? product.subcomponents.flatMap((part) =>
        keysOf(part).map((key) => ({ key, product: { ...product, subcomponents: [part] } })),
      )
    : keysOf(product).map((key) => ({ key, product }));

/** Statements by vulnerability and product, so that a finding is compared with the few that can be about it. */
interface VexIndex {
  /** Statements that may be about a subject, each with the products that may be it. */
  candidates(subject: VexSubject): readonly SourcedStatement[];
}

/**
 * Creates the index of statements. Vulnerabilities and products are indexed apart, so that a statement of many names and
 * many products costs their sum and not their product.
 */
export const createVexIndex = (statements: readonly SourcedStatement[]): VexIndex => {
  const byVulnerability = new Map<string, Set<number>>();
  const byProduct = new Map<string, Map<number, SourcedStatement>>();
  for (const [at, sourced] of statements.entries()) {
    const products = Map.groupBy(sourced.statement.products.flatMap(keyedProducts), ({ key }) => key);
    for (const [key, keyed] of products) {
      const narrowed = { ...sourced.statement, products: keyed.map(({ product }) => product) };
      byProduct.getOrInsertComputed(key, () => new Map()).set(at, { ...sourced, statement: narrowed });
    }
    for (const id of sourced.statement.vulnerabilityIds)
      byVulnerability.getOrInsertComputed(id, () => new Set()).add(at);
  }
  const find = (id: string, key: string): readonly SourcedStatement[] => {
    const [about, named] = [byVulnerability.get(id), byProduct.get(key)];
    if (!about || !named) return [];
    const fewer = about.size < named.size ? about : named.keys();
    return [...fewer].flatMap((at) => (about.has(at) ? (named.get(at) ?? []) : []));
  };
  return {
    candidates: ({ vulnerabilityIds, artifact, component }) => {
      const keys = new Set([...keysOf(artifact), ...keysOf(component)]);
      return [...vulnerabilityIds].flatMap((id) => [...keys].flatMap((key) => find(id, key)));
    },
  };
};
