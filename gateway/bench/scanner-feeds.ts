// Feeds of the size of the world's: the question which advisories affect a version of a package over 500,000 advisories, and
// a bill of 5,000 components matched against 50,000 of them.
import { toTenantId } from '@landfall/kernel/core/ids';
import { caller } from '@landfall/kernel/testing/callers';
import { scannerModule } from '@landfall/scanner';
import { matchDocument } from '@landfall/scanner/testing/parts';
import pg from 'pg';
import { createModules } from '../modules/modules.ts';
import { type BenchHost, benchHost } from './bench-host.ts';
import type { createReport } from './figure.ts';
import { median, quantile } from './statistics.ts';

const ADVISORIES = 500_000;
const SMALL_FEED = 50_000;
const COMPONENTS = 5_000;
const QUESTIONS = 2_000;
const WARM_UP = 200;
const ROUNDS = 3;

/** Packages that advisories are about: the lower the number, the more of them, as the first has one of 300. */
const packagesOf = (advisories: number): number => advisories / 5;

/** Number below 1 of a seed, so that every run asks the same. */
const random = (seed: number): number => {
  let state = (seed + 0x6d2b79f5) | 0;
  state = Math.imul(state ^ (state >>> 15), state | 1);
  state ^= state + Math.imul(state ^ (state >>> 7), state | 61);
  return ((state ^ (state >>> 14)) >>> 0) / 4_294_967_296;
};

/** Writes advisories as the importer stores them: npm, a description of 900 characters, two ranges each. */
const fillFeed = async (connection: pg.ClientConfig, advisories: number): Promise<void> => {
  const client = new pg.Client(connection);
  await client.connect();
  const packages = packagesOf(advisories);
  await client.query(
    `insert into scanner.advisories (tenant, id, alias_group, modified, digest, head)
     select '*', 'GHSA-' || n, n, '2026-01-01', md5(n::text), jsonb_build_object(
       'id', 'GHSA-' || n, 'modified', '2026-01-01T00:00:00Z', 'published', '2026-01-01T00:00:00Z', 'withdrawn', null,
       'aliases', jsonb_build_array('CVE-2026-' || n), 'related', '[]'::jsonb, 'upstream', '[]'::jsonb,
       'summary', 'About package ' || n, 'details', repeat(md5(n::text) || ' ', 27),
       'severity', '{"cvssVectors": ["CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H"], "vendorWords": ["HIGH"]}'::jsonb,
       'isMalicious', false, 'informational', null)
     from generate_series(1, $1::integer) n`,
    [advisories],
  );
  await client.query(
    `insert into scanner.advisory_packages (tenant, ecosystem, package_name, advisory_id, alias_group, head, entries)
     select '*', 'npm', 'package-' || floor($2::float8 * power(('x' || md5(n::text))::bit(31)::integer / 2147483648.0, 2))::integer,
       'GHSA-' || n, n, (select head - 'details' from scanner.advisories where tenant = '*' and id = 'GHSA-' || n),
       jsonb_build_array(jsonb_build_object(
         'ecosystem', 'npm', 'packageName', 'package-' || floor($2::float8 * power(('x' || md5(n::text))::bit(31)::integer / 2147483648.0, 2))::integer,
         'purl', null, 'customRanges', '[]'::jsonb, 'versions', '[]'::jsonb, 'symbols', '[]'::jsonb, 'informational', null,
         'severity', '{"cvssVectors": [], "vendorWords": []}'::jsonb,
         'ranges', jsonb_build_array(
           jsonb_build_object('type', 'SEMVER', 'repo', null, 'events', jsonb_build_array(
             jsonb_build_object('kind', 'introduced', 'version', '0'),
             jsonb_build_object('kind', 'fixed', 'version', n % 4 || '.' || n % 23 || '.' || n % 7))),
           jsonb_build_object('type', 'SEMVER', 'repo', null, 'events', jsonb_build_array(
             jsonb_build_object('kind', 'introduced', 'version', '5.' || n % 11 || '.0'),
             jsonb_build_object('kind', 'fixed', 'version', '5.' || n % 11 || '.' || 1 + n % 5))))))
     from generate_series(1, $1::integer) n`,
    [advisories, packages],
  );
  await client.query(
    `insert into scanner.aliases (tenant, alias, alias_group)
     select '*', prefix || n, n from generate_series(1, $1::integer) n, unnest(array['GHSA-', 'CVE-2026-']) prefix`,
    [advisories],
  );
  await client.query(`insert into scanner.feed_captures (tenant, role, digest, published_at)
     values ('*', 'feed:osv:npm', 'sha256:' || repeat('0', 64), '2026-01-01')`);
  await client.query(
    `insert into scanner.feeds (tenant, role, digest, records) values ('*', 'feed:osv:npm', 'sha256:' || repeat('0', 64), $1)`,
    [advisories],
  );
  await client.query('analyze scanner.advisories, scanner.advisory_packages, scanner.aliases');
  await client.end();
};

const purlOf = (seed: number, packages: number): string => {
  const name = Math.floor(packages * random(seed) ** 2);
  return `pkg:npm/package-${name}@${seed % 4}.${seed % 19}.${seed % 7}`;
};

/** Asks about packages as often as advisories are about them. @returns milliseconds of each question */
const askAffected = async ({ deps, settings }: BenchHost, advisories: number): Promise<number[]> => {
  const [scanner] = createModules([scannerModule], deps, settings);
  if (!scanner) throw new TypeError('there is no scanner');
  const { scans } = scannerModule.get([scanner]);
  const who = caller({ tenant: 'acme', subject: 'bench', scopes: ['scanner:read'] });
  const times: number[] = [];
  let affecting = 0;
  for (let n = 0; n < WARM_UP + QUESTIONS; n++) {
    const purl = purlOf(n, packagesOf(advisories));
    const started = performance.now();
    affecting += (await scans.affected(who, { purl })).advisories.length;
    times.push(performance.now() - started);
  }
  if (affecting === 0) throw new Error('nothing is affected');
  return times.slice(WARM_UP);
};

/** Bill of which one component in four has advisories. */
const bill = (): string =>
  JSON.stringify({
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    components: Array.from({ length: COMPONENTS }, (_, n) => {
      const name = `package-${Math.floor(4 * packagesOf(SMALL_FEED) * random(n))}`;
      const version = `${n % 4}.${n % 19}.${n % 7}`;
      return { type: 'library', name, version, 'bom-ref': `c${n}`, purl: `pkg:npm/${name}@${version}` };
    }),
  });

/** Reads a bill of 5,000 components and matches it. @returns seconds of the median round */
const matchBill = async ({ deps }: Pick<BenchHost, 'deps'>): Promise<number> => {
  const document = bill();
  const rounds: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const started = performance.now();
    const { evaluations, findings } = await matchDocument(deps, toTenantId('acme'), document);
    rounds.push((performance.now() - started) / 1_000);
    if (evaluations.length !== COMPONENTS || findings.length === 0) throw new Error('nothing was matched');
  }
  return median(rounds.slice(1));
};

/** Measures over two feeds, each in a database of its own. */
export const measureFeeds = async (tell: ReturnType<typeof createReport>['tell']): Promise<void> => {
  {
    await using host = await benchHost();
    await fillFeed(host.migrating, ADVISORIES);
    const times = await askAffected(host, ADVISORIES);
    tell('affected p95, 500k advisories', quantile(times, 0.95), 'ms', { atMost: 5 });
    tell('affected p50, 500k advisories', quantile(times, 0.5), 'ms');
  }
  await using host = await benchHost();
  await fillFeed(host.migrating, SMALL_FEED);
  tell('5,000 components against 50k advisories', await matchBill(host), 's', { atMost: 2 });
};
