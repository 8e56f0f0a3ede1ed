/** CycloneDX document of an application that depends on a package, which depends on gate 1.1.0 of npm. */
export const bomThrough = (packageName: string): string =>
  JSON.stringify({
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    metadata: {
      component: { 'bom-ref': 'app', type: 'application', name: `shop of ${packageName}`, version: '3.0.0' },
    },
    components: [
      {
        'bom-ref': 'first',
        type: 'library',
        name: packageName,
        version: '2.0.0',
        purl: `pkg:npm/${packageName}@2.0.0`,
      },
      { 'bom-ref': 'gate', type: 'library', name: 'gate', version: '1.1.0', purl: 'pkg:npm/gate@1.1.0' },
    ],
    dependencies: [
      { ref: 'app', dependsOn: ['first'] },
      { ref: 'first', dependsOn: ['gate'] },
    ],
  });

/** A text as the body of a request. */
export async function* bodyOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
