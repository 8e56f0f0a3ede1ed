/** Bills of materials of the shop's images, and call graphs of two versions of its api. */

interface Image {
  readonly name: string;
  readonly version: string;
  /** Packages of npm with their versions. */
  readonly packages: Readonly<Record<string, string>>;
}

interface ApiVersion extends Image {
  /** Functions that `main` calls, of packages by name. */
  readonly calls: readonly (readonly [packageName: string, name: string])[];
}

/** The first version reads ranges from requests; the second unpacks uploads instead, with a fixed semver. */
export const API_VERSIONS = {
  base: {
    name: 'api',
    version: '1.0.0',
    packages: { semver: '7.3.8', tar: '6.1.15', braces: '3.0.2' },
    calls: [['semver', 'Range.parseRange']],
  },
  head: {
    name: 'api',
    version: '1.2.0',
    packages: { semver: '7.6.0', tar: '6.1.15', braces: '3.0.2' },
    calls: [['tar', 'Unpack.addEntry']],
  },
} as const satisfies Readonly<Record<string, ApiVersion>>;

export const WEB: Image = { name: 'web', version: '1.0.0', packages: { preact: '10.19.3' } };

/** Vulnerable functions by the advisories that name them. */
const SINKS = [
  { packageName: 'semver', name: 'Range.parseRange', vulnerabilityId: 'CVE-2022-25883' },
  { packageName: 'tar', name: 'Unpack.addEntry', vulnerabilityId: 'CVE-2024-28863' },
  { packageName: 'braces', name: 'parse', vulnerabilityId: 'CVE-2024-4068' },
] as const;

/** Bill of materials of an image (CycloneDX 1.5). */
export const billOf = ({ name: image, version, packages }: Image): string =>
  JSON.stringify({
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    metadata: { component: { 'bom-ref': image, type: 'application', name: `shop/${image}`, version } },
    components: Object.entries(packages).map(([name, each]) => ({
      'bom-ref': name,
      type: 'library',
      name,
      version: each,
      purl: `pkg:npm/${name}@${each}`,
    })),
    dependencies: [{ ref: image, dependsOn: Object.keys(packages) }],
  });

/** Call graph of a version (docs/call-graphs.md): `main` calls the handler, which calls functions of packages. */
export const callGraphOf = ({ packages, calls }: ApiVersion): string => {
  const own = { purl: 'pkg:npm/shop-api', module: 'src' };
  const symbols = [
    { ...own, name: 'main' },
    { ...own, name: 'handleRequest' },
    ...SINKS.filter(({ packageName }) => Object.hasOwn(packages, packageName)).map(({ packageName, name }) => ({
      purl: `pkg:npm/${packageName}`,
      module: 'index',
      name,
    })),
  ];
  const numberOf = (packageName: string, name: string): number =>
    symbols.findIndex((symbol) => symbol.purl === `pkg:npm/${packageName}` && symbol.name === name);
  return JSON.stringify({
    schema: 'landfall.callgraph/v1',
    language: 'node',
    tool: 'demo',
    coverage: { complete: true, limitations: [] },
    symbols,
    edges: [[0, 1], ...calls.map(([packageName, name]) => [1, numberOf(packageName, name)])],
    entries: [0],
    sinks: SINKS.map(({ packageName, name, vulnerabilityId }) => ({
      symbol: numberOf(packageName, name),
      kind: 'vuln-symbol',
      vulnerabilityIds: [vulnerabilityId],
    })),
  });
};
