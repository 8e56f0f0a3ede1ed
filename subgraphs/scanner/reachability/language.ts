/** Languages of call graphs, canonical name to its aliases (spec 2.5); the order is that of the specification. */
const ALIASES = {
  dotnet: ['csharp', 'c#', 'cs', '.net', 'net'],
  java: ['jvm'],
  go: ['golang'],
  python: ['py'],
  node: ['nodejs', 'javascript', 'js', 'typescript', 'ts'],
  bun: ['bunjs'],
  deno: [],
  php: [],
  ruby: ['rb'],
  rust: ['rs'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type Language = keyof typeof ALIASES;

const isLanguage = (name: string): name is Language => Object.hasOwn(ALIASES, name);

/** The ten canonical languages, in the order of the specification. */
export const LANGUAGES: readonly Language[] = Object.keys(ALIASES).filter(isLanguage);

/** Language that a request names by its canonical name or an alias, in any letter case; undefined for another text. */
export const parseLanguage = (text: string): Language | undefined => {
  const name = text.toLowerCase();
  return LANGUAGES.find((language) => language === name || ALIASES[language].some((alias) => alias === name));
};
