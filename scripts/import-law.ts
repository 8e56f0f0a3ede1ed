// Which workspace may import which: `schema <- kernel <- module <- rest-compat <- gateway`.
import { type Breach, type Import, importsOf, type Source, targetOf } from './lint/sources.ts';

interface Zone {
  readonly name: string;
  /** Zones whose code this one may use besides its own. */
  readonly uses: readonly string[];
}

/** `schema <- kernel <- agent, attestation <- module <- rest-compat <- gateway`; the console reads contracts, e2e talks over sockets. */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  schema: [],
  kernel: ['schema'],
  agent: ['schema', 'kernel'],
  attestation: ['schema', 'kernel'],
  module: ['schema', 'kernel', 'agent', 'attestation'],
  'rest-compat': ['schema', 'kernel', 'attestation', 'module'],
  gateway: ['schema', 'kernel', 'agent', 'attestation', 'module', 'rest-compat'],
  console: ['schema'],
  e2e: ['schema'],
  scripts: ['schema', 'kernel'],
};

/** Packages below subgraphs/ that are no modules. */
const LIBRARIES = new Set(['kernel', 'agent', 'attestation']);

/** Files of the agent that the server uses too: the protocol, its bounds and what both sides compute alike. */
const AGENT_SHARED = new Set([
  'protocol/limits',
  'secrets/host-secrets',
  'protocol/platform',
  'protocol/messages',
  'protocol/sealing',
  'orphan-processes',
  'protocol/token',
]);

/** Kernel files that the agent, a program of its own on a target's machine, may carry: no database, no tenant. */
const AGENT_KERNEL = new Set([
  'core/clock',
  'core/fault',
  'core/ids',
  'crypto/digest',
  'crypto/jcs',
  'http/client',
  'http/pools',
  'oci/challenge',
  'oci/manifest',
  'system/account',
  'system/address',
  'system/egress',
  'system/failpoint',
  'system/log',
]);

/** Paths of tests and test tools, which may import test helpers. */
const TEST_TOOLS =
  /\.test\.tsx?$|\.fixture\.ts$|\/testing\/|^(?:scripts|e2e)\/|^gateway\/(?:bench|proofs)\/|^rest-compat\/golden\.ts$/;

/** Test helpers that the product may import: the demo's registry, since a fresh machine has no OCI registry. */
const DEMO_REGISTRY = /^subgraphs\/kernel\/testing\/oci-(?:registry|image)(?:\.ts)?$/;

/** The law's zone of a path below the root; a module's zone carries its name. */
const zoneOf = (path: string): Zone | undefined => {
  const [top = '', name = ''] = path.split('/');
  if (top !== 'subgraphs') return LAYERS[top] && { name: top, uses: LAYERS[top] };
  return { name, uses: LAYERS[LIBRARIES.has(name) ? name : 'module'] ?? [] };
};

const isModule = (zone: string): boolean => !LAYERS[zone];

const feature = (path: string): string | undefined => /^console\/src\/features\/([^/]+)\//.exec(path)?.[1];
const isTranslation = (file: string): boolean =>
  /(^|\/)resolvers(\/|\.ts$)|-listener-routes\.ts$/.test(file) || file.startsWith('rest-compat/routes/');

const unknown = ({ file, specifier }: Import, zone: Zone): string | undefined => {
  if (specifier === 'pg' && zone.name === 'agent') return 'the agent has no database';
  if (specifier.startsWith('react-aria-components') && !file.startsWith('console/src/ui/')) {
    return 'only console/src/ui may import react-aria-components';
  }
  return undefined;
};

const isForTests = (file: string, target: string): boolean => {
  if (!target.startsWith('subgraphs/kernel/testing/') || TEST_TOOLS.test(file)) return false;
  return !(/^subgraphs\/[^/]+\/demo\//.test(file) && DEMO_REGISTRY.test(target));
};

/** Proofs, benches and tests of the whole use a module's test helpers and demo, which no index offers. */
const isProof = (file: string, target: string): boolean =>
  (/^(?:gateway\/(?:bench|proofs)|rest-compat\/testing)\//.test(file) || file.endsWith('.test.ts')) &&
  /^subgraphs\/[^/]+\/(?:(?:testing|demo)\/|.*\.fixture$)/.test(target);

const fileWithin = (zone: string, target: string): string =>
  target.replace(`subgraphs/${zone}/`, '').replace(/\.ts$/, '');

/** Proofs, benches and tests may run an agent; the product shares its protocol with it. */
const isAgentShared = (file: string, target: string): boolean =>
  TEST_TOOLS.test(file) || AGENT_SHARED.has(fileWithin('agent', target));

const between = (found: Import, from: Zone, target: string, to: Zone): string | undefined => {
  if (found.specifier.startsWith('.')) return `reaches from ${from.name} into ${to.name} by a relative path`;
  if (TEST_TOOLS.test(found.file) && target.startsWith('subgraphs/kernel/testing/')) return undefined;
  if (!from.uses.includes(isModule(to.name) ? 'module' : to.name)) return `${from.name} may not import ${to.name}`;
  if (isModule(to.name) && !target.endsWith('/index') && !isProof(found.file, target))
    return `import ${to.name} by its index only`;
  if (to.name === 'agent' && !isAgentShared(found.file, target)) return `the server shares no ${target}`;
  if (from.name === 'agent' && to.name === 'kernel' && !AGENT_KERNEL.has(fileWithin('kernel', target))) {
    return `the agent may not carry kernel/${fileWithin('kernel', target)}`;
  }
  return undefined;
};

const judge = (found: Import): string | undefined => {
  const from = zoneOf(found.file);
  if (!from) return undefined;
  const target = targetOf(found);
  if (!target) return unknown(found, from);
  if (isTranslation(found.file) && /\.store(\.ts)?$/.test(target))
    return 'a resolver or a route calls a service, never a store';

  const [own, other] = [feature(found.file), feature(target)];
  if (own && other && own !== other) return `feature ${own} may not import feature ${other}`;
  const to = zoneOf(target);
  if (!to) return from.name === 'scripts' ? undefined : `${target} belongs to no package`;
  const breach = to.name === from.name ? undefined : between(found, from, target, to);
  return breach ?? (isForTests(found.file, target) ? `${target} is for tests` : undefined);
};

/** Finds the breaches among one file's imports. */
export const judgeFile = (source: Source): Breach[] =>
  importsOf(source).flatMap((found) => {
    const message = judge(found);
    return message ? [{ file: found.file, line: found.line, message: `'${found.specifier}': ${message}` }] : [];
  });
