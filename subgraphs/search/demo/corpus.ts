/** Documents that the company has imported: advisories in OSV's format, its own VEX statements, its cluster's policies. */

interface DemoAdvisory {
  readonly id: string;
  readonly aliases: readonly string[];
  readonly ecosystem: string;
  readonly package: string;
  readonly severity: 'CRITICAL' | 'HIGH' | 'MODERATE' | 'LOW';
  readonly fixed: string;
  readonly published: string;
  readonly summary: string;
  readonly details: string;
}

const ADVISORIES: readonly DemoAdvisory[] = [
  {
    id: 'GHSA-jfh8-c2jp-5v3q',
    aliases: ['CVE-2021-44228'],
    ecosystem: 'Maven',
    package: 'org.apache.logging.log4j:log4j-core',
    severity: 'CRITICAL',
    fixed: '2.15.0',
    published: '2021-12-10T00:40:56Z',
    summary: 'Log4j 2 runs code that a logged text names by JNDI',
    details:
      'A text that reaches the log may name an address by JNDI, and Log4j fetches and runs what it finds there. Whoever can have a text logged, such as a header of a request, can so run code on the server. Version 2.15.0 no longer looks such names up by default; 2.17.1 ends the lookup for good.',
  },
  {
    id: 'GHSA-36p3-wjmg-h94x',
    aliases: ['CVE-2022-22965'],
    ecosystem: 'Maven',
    package: 'org.springframework:spring-beans',
    severity: 'CRITICAL',
    fixed: '5.3.18',
    published: '2022-03-31T18:30:50Z',
    summary: 'Data binding in Spring reaches the class loader',
    details:
      'Request parameters that are bound to an object may reach its class loader on JDK 9 and later, by which a file can be written and code run where the application is deployed to a servlet container.',
  },
  {
    id: 'GHSA-xvch-5gv4-984h',
    aliases: ['CVE-2021-44906'],
    ecosystem: 'npm',
    package: 'minimist',
    severity: 'CRITICAL',
    fixed: '1.2.6',
    published: '2022-03-18T00:01:09Z',
    summary: 'Prototype pollution in minimist',
    details:
      'Arguments with the name of a constructor or prototype change every object of the program. A program that hands arguments of strangers to minimist can be made to behave otherwise or to stop.',
  },
  {
    id: 'GHSA-jf85-cpcp-j695',
    aliases: ['CVE-2019-10744'],
    ecosystem: 'npm',
    package: 'lodash',
    severity: 'CRITICAL',
    fixed: '4.17.12',
    published: '2019-07-10T19:45:23Z',
    summary: 'Prototype pollution in lodash defaultsDeep',
    details:
      'The function defaultsDeep can be made to add or change properties of Object.prototype by a constructor payload. All versions before 4.17.12 are affected.',
  },
  {
    id: 'GHSA-rv95-896h-c2vc',
    aliases: ['CVE-2024-29041'],
    ecosystem: 'npm',
    package: 'express',
    severity: 'MODERATE',
    fixed: '4.19.2',
    published: '2024-03-25T19:40:26Z',
    summary: 'Open redirect in Express by malformed URLs',
    details:
      'Addresses that are encoded before they are checked against an allow list can lead to another host than was checked. res.location() and res.redirect() are affected.',
  },
  {
    id: 'GHSA-3h5v-q93c-6h6q',
    aliases: ['CVE-2024-37890'],
    ecosystem: 'npm',
    package: 'ws',
    severity: 'HIGH',
    fixed: '8.17.1',
    published: '2024-06-17T19:09:12Z',
    summary: 'A request with very many headers stops a ws server',
    details:
      'When a request carries more headers than server.maxHeadersCount, the upgrade reads a header that is not there and the process ends. Lower the limit of header bytes until the update is in.',
  },
  {
    id: 'GHSA-9wv6-86v2-598j',
    aliases: ['CVE-2024-45296'],
    ecosystem: 'npm',
    package: 'path-to-regexp',
    severity: 'HIGH',
    fixed: '0.1.10',
    published: '2024-09-09T20:19:15Z',
    summary: 'path-to-regexp makes regular expressions that backtrack',
    details:
      'Two parameters within one path segment become an expression that can take exponential time. A short path then holds the event loop, and with it the whole server.',
  },
  {
    id: 'GHSA-h5c8-rqwp-cp95',
    aliases: ['CVE-2024-22195'],
    ecosystem: 'PyPI',
    package: 'jinja2',
    severity: 'MODERATE',
    fixed: '3.1.3',
    published: '2024-01-11T15:20:48Z',
    summary: 'Keys of xmlattr can add attributes in Jinja',
    details:
      'The filter xmlattr takes keys with spaces, which HTML does not. Keys that come from a user can add other attributes to an element and so bring a script into the page.',
  },
  {
    id: 'GHSA-j8r2-6x86-q33q',
    aliases: ['CVE-2023-32681'],
    ecosystem: 'PyPI',
    package: 'requests',
    severity: 'MODERATE',
    fixed: '2.31.0',
    published: '2023-05-22T20:36:32Z',
    summary: 'Requests sends the proxy’s credentials to the server',
    details:
      'After a redirect to an https address the header Proxy-Authorization goes to the destination, which learns the credentials of the proxy. Change them after the update.',
  },
  {
    id: 'GHSA-qppj-fm5r-hxr3',
    aliases: ['CVE-2023-44487'],
    ecosystem: 'Go',
    package: 'golang.org/x/net',
    severity: 'HIGH',
    fixed: '0.17.0',
    published: '2023-10-10T21:28:24Z',
    summary: 'HTTP/2 rapid reset keeps a server busy',
    details:
      'A client that opens streams and cancels them at once makes the server work without ever reaching its limit of streams. It was used for the largest floods of requests seen until then.',
  },
];

/** Advisories in OSV's bulk format: one JSON document per line. */
export const advisories = ADVISORIES.map(({ id, aliases, severity, fixed, published, summary, details, ...of }) =>
  JSON.stringify({
    schema_version: '1.6.0',
    id,
    aliases,
    published,
    modified: published,
    summary,
    details,
    affected: [
      {
        package: { ecosystem: of.ecosystem, name: of.package },
        ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed }] }],
      },
    ],
    database_specific: { severity },
  }),
).join('\n');

/** VEX statements of the company about its own images (OpenVEX 0.2.0). */
export const statements = JSON.stringify({
  '@context': 'https://openvex.dev/ns/v0.2.0',
  '@id': 'https://acme.example/vex/2026-11',
  author: 'Acme product security',
  timestamp: '2026-11-10T09:00:00Z',
  version: 1,
  statements: [
    {
      vulnerability: { name: 'CVE-2021-44228' },
      products: [{ '@id': 'pkg:oci/shop-api' }],
      status: 'not_affected',
      justification: 'component_not_present',
      impact_statement: 'The api is written in Go. No image of the shop holds Log4j.',
    },
    {
      vulnerability: { name: 'CVE-2023-44487' },
      products: [{ '@id': 'pkg:oci/shop-api' }],
      status: 'fixed',
      impact_statement: 'The api is built with golang.org/x/net 0.17.0 or later since version 1.0.0.',
    },
    {
      vulnerability: { name: 'CVE-2024-45296' },
      products: [{ '@id': 'pkg:oci/shop-web' }],
      status: 'affected',
      action_statement: 'Update path-to-regexp to 0.1.10 with the next version of the web.',
    },
    {
      vulnerability: { name: 'CVE-2024-37890' },
      products: [{ '@id': 'pkg:oci/shop-web' }],
      status: 'under_investigation',
    },
  ],
});

/** Admission policies of the company's cluster (Kyverno). */
export const policies = `apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata:
  name: images-by-digest
  annotations:
    policies.kyverno.io/title: Images by digest
    policies.kyverno.io/category: Supply chain
    policies.kyverno.io/severity: high
    policies.kyverno.io/description: >-
      A tag can be moved to another image after it was approved. Every container names its image by digest, which is
      what Landfall has gated.
spec:
  validationFailureAction: Enforce
  rules:
    - name: require-digest
      match: { any: [{ resources: { kinds: [Pod] } }] }
      validate:
        message: Name the image by its digest.
        pattern: { spec: { containers: [{ image: '*@sha256:*' }] } }
---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata:
  name: no-privileged-containers
  annotations:
    policies.kyverno.io/title: No privileged containers
    policies.kyverno.io/category: Pod security
    policies.kyverno.io/severity: medium
    policies.kyverno.io/description: >-
      A privileged container reaches the devices of its host. Nothing of the shop needs that.
spec:
  validationFailureAction: Enforce
  rules:
    - name: privileged
      match: { any: [{ resources: { kinds: [Pod] } }] }
      validate:
        message: Privileged containers are not admitted.
        pattern: { spec: { containers: [{ '=(securityContext)': { '=(privileged)': 'false' } }] } }
`;
