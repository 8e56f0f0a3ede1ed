import type { GoFunction } from './go-symbol.ts';

/** Part of an OSV record that names vulnerable functions of Go packages. */
export interface GoAdvisory {
  readonly id: string;
  readonly aliases: readonly string[];
  readonly affected: readonly {
    readonly ecosystem: string | null;
    readonly packageName: string | null;
    /** Entries of `ecosystem_specific.imports`. */
    readonly symbols: readonly { readonly importPath: string | null; readonly names: readonly string[] }[];
  }[];
}

/** Vulnerable symbols of one package. */
interface VulnerablePackage {
  readonly module: string;
  readonly path: string;
  /** Empty where every function of the package counts. */
  readonly names: readonly string[];
  readonly vulnerabilityIds: readonly string[];
}

/**
 * Packages whose vulnerable symbols an advisory names. A record that names no package says nothing on symbols: a
 * finding by it depends on its package alone.
 */
export const vulnerablePackages = ({ id, aliases, affected }: GoAdvisory): VulnerablePackage[] =>
  affected.flatMap(({ ecosystem, packageName, symbols }) =>
    symbols.flatMap(({ importPath, names }) =>
      ecosystem === 'Go' && packageName !== null && importPath !== null
        ? [{ module: packageName, path: importPath, names, vulnerabilityIds: [id, ...aliases] }]
        : [],
    ),
  );

/** Functions of a program that can be found by package. */
interface GoFunctionIndex {
  /** Symbol of a function, added to the graph where it has none. */
  add(module: string, target: GoFunction): number;
  /** Symbols of all functions of a package that the graph has. */
  ofPackage(path: string): readonly number[];
}

/** Name of the symbol that stands for a whole package of which the program contains no function. */
const WHOLE_PACKAGE = '*';

/**
 * Symbols that an advisory names as vulnerable. One that the analysis did not find in the program becomes a node
 * without edges: it is known and not called.
 */
export const vulnerableSymbols = (index: GoFunctionIndex, { module, path, names }: VulnerablePackage): number[] => {
  if (names.length > 0) return names.map((name) => index.add(module, { path, name }));
  const functions = index.ofPackage(path);
  return functions.length > 0 ? [...functions] : [index.add(module, { path, name: WHOLE_PACKAGE })];
};
