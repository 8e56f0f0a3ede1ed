// Connections outwards: what opens one by itself is not governed by a seal (proofs 8.1).
import { type Breach, lineOf, type Source } from './sources.ts';

/** Tests and tools, and programs of their own, which run on other machines or for an operator. */
const UNGOVERNED =
  /\.(?:test|fixture)\.tsx?$|\/(?:testing|demo|bench|proofs|replay)\/|^(?:console|e2e|scripts)\/|^subgraphs\/(?:agent|registry-token\/operator|scanner\/gate)\//;

/** Files of the server that may connect, or look at a socket. */
const ALLOWED: ReadonlySet<string> = new Set([
  // The pools of the HTTP client, the factory of sockets and the two resolvers, which ask the egress policy.
  'subgraphs/kernel/http/pools.ts',
  'subgraphs/kernel/system/connect.ts',
  'subgraphs/kernel/system/dns.ts',
  'subgraphs/kernel/system/egress.ts',
  // TLS over a socket of that factory.
  'subgraphs/scanner/drifts/redis-client.ts',
  // The installation's own database, roles and port.
  'subgraphs/kernel/db/embedded-postgres.ts',
  'subgraphs/kernel/db/heartbeat.ts',
  'subgraphs/kernel/db/liveness.ts',
  'subgraphs/kernel/db/session.ts',
  'gateway/roles/module-client.ts',
  'gateway/doctor/network-checks.ts',
  // Asks a connection that came in for its certificate.
  'subgraphs/kernel/http/client-certificates.ts',
]);

const PACKAGE = `(?:node:)?(?:net|tls|dgram|dns|dns/promises|http|https|http2|undici)`;
const IMPORT = new RegExp(String.raw`^import (?!type )([^;']*?) from '${PACKAGE}'|\bimport\(\s*'${PACKAGE}'`, 'gm');
/** Exports of these packages that connect to nothing. */
const HARMLESS = /^(?:type .*|isIP|isIPv[46]|BlockList|createServer(?: as \w+)?|STATUS_CODES|createSecureContext|)$/;

const FETCH = /(?<![.\w])fetch\(/g;
/** Binding of the name by the file itself. */
const OWN_FETCH = /\bfetch(?:\s*=[^=>]|: |\([^()]*: )/;

const isHarmless = (names = '*'): boolean => {
  const [, list] = /^\{([^}]*)\}$/.exec(names.trim()) ?? [];
  return list?.split(',').every((name) => HARMLESS.test(name.trim())) ?? false;
};

/** Connections that a file opens past the egress policy. */
export const checkRawNetwork = (sources: readonly Source[]): Breach[] =>
  sources.flatMap(({ file, text }) => {
    if (UNGOVERNED.test(file) || ALLOWED.has(file)) return [];
    const imports = [...text.matchAll(IMPORT)].filter(([, names]) => !isHarmless(names));
    const calls = OWN_FETCH.test(text) ? [] : [...text.matchAll(FETCH)];
    return [...imports, ...calls].map(({ index }) => ({
      file,
      line: lineOf(text, index),
      message: 'a connection outwards goes through HttpClient or createConnect, which ask the egress policy',
    }));
  });
