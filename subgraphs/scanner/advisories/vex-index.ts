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

/** Adds a value to the list of a key. */
const append = <Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void => {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
};

/** Creates the index of statements. */
export const createVexIndex = (statements: readonly SourcedStatement[]): VexIndex => {
  const byVulnerability = new Map<string, Map<string, SourcedStatement[]>>();
  for (const sourced of statements) {
    const products = new Map<string, VexProduct[]>();
    for (const { key, product } of sourced.statement.products.flatMap(keyedProducts)) append(products, key, product);
    const narrowed = [...products].map(
      ([key, own]) => [key, { ...sourced, statement: { ...sourced.statement, products: own } }] as const,
    );
    for (const id of sourced.statement.vulnerabilityIds) {
      const byProduct = byVulnerability.get(id) ?? new Map<string, SourcedStatement[]>();
      byVulnerability.set(id, byProduct);
      for (const [key, each] of narrowed) append(byProduct, key, each);
    }
  }
  return {
    candidates: ({ vulnerabilityIds, artifact, component }) => {
      const keys = new Set([...keysOf(artifact), ...keysOf(component)]);
      return [...vulnerabilityIds].flatMap((id) => [...keys].flatMap((key) => byVulnerability.get(id)?.get(key) ?? []));
    },
  };
};
