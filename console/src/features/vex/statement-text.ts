type Reference = { readonly name: string | null; readonly purl: string | null; readonly hashes: readonly string[] };

type Product = Reference & { readonly subcomponents: readonly Reference[] };

type ProductLine = { readonly product: string; readonly component: string | undefined };

/** Name of a reference by the best that a document gives: its package URL, its name, or a hash. */
const nameOf = ({ purl, name, hashes }: Reference): string => purl ?? name ?? hashes[0] ?? '';

/**
 * Products of a statement, one line each, and one for each component of a product where the statement is limited to
 * some of them.
 */
export const productLines = (products: readonly Product[]): readonly ProductLine[] =>
  products.flatMap<ProductLine>((product) =>
    product.subcomponents.length === 0
      ? [{ product: nameOf(product), component: undefined }]
      : product.subcomponents.map((one) => ({ product: nameOf(product), component: nameOf(one) })),
  );

/** Justification as its format writes it, in words: `vulnerable_code_not_present` is `vulnerable code not present`. */
export const justificationText = (justification: string): string => justification.replaceAll('_', ' ');
