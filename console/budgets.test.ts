import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { gzipSync } from 'node:zlib';

const dist = join(import.meta.dirname, 'dist');
const kB = 1000;

type Chunk = {
  readonly file: string;
  readonly isEntry?: boolean;
  readonly imports?: readonly string[];
  readonly dynamicImports?: readonly string[];
  readonly css?: readonly string[];
};
let manifest: Readonly<Record<string, Chunk>> = {};

const isChunk = (value: unknown): value is Chunk =>
  typeof value === 'object' && value !== null && 'file' in value && typeof value.file === 'string';

function readManifest(): Readonly<Record<string, Chunk>> {
  const raw: unknown = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8'));
  assert.ok(typeof raw === 'object' && raw !== null);
  return Object.fromEntries(
    Object.entries(raw).map(([key, value]) => {
      assert.ok(isChunk(value));
      return [key, value];
    }),
  );
}

before(() => {
  // Builds only when the sources have changed since the last build.
  execFileSync(process.execPath, [join(import.meta.dirname, '../scripts/build-console.ts')], { stdio: 'inherit' });
  manifest = readManifest();
});

const sizeOf = (file: string): number => gzipSync(readFileSync(join(dist, file)), { level: 9 }).length;

/** A chunk and everything it cannot run without. */
function withImports(key: string, visited = new Set<string>()): Set<string> {
  if (visited.has(key)) return visited;
  visited.add(key);
  for (const next of manifest[key]?.imports ?? []) withImports(next, visited);
  return visited;
}

const bytes = (keys: Iterable<string>): number =>
  [...keys].reduce((sum, key) => sum + sizeOf(manifest[key]?.file ?? ''), 0);

function entry(): string {
  const found = Object.entries(manifest).find(([, chunk]) => chunk.isEntry)?.[0];
  assert.ok(found !== undefined);
  return found;
}

test('the first load is at most 200 kB of JavaScript, Today included', (t) => {
  const first = withImports(entry());
  const today = withImports('src/features/today/TodayPage.tsx', first);
  t.diagnostic(`first load with Today: ${(bytes(today) / kB).toFixed(1)} kB`);
  assert.ok(bytes(today) <= 200 * kB, `${bytes(today)} bytes`);
});

test('a route adds at most 40 kB to what every page has', (t) => {
  const first = withImports(entry());
  const routes = (manifest[entry()]?.dynamicImports ?? []).filter((key) => key.startsWith('src/features/'));
  assert.ok(routes.length >= 10);
  for (const route of routes) {
    const added = [...withImports(route)].filter((key) => !first.has(key));
    t.diagnostic(`${route}: ${(bytes(added) / kB).toFixed(1)} kB`);
    assert.ok(bytes(added) <= 40 * kB, `${route} adds ${bytes(added)} bytes`);
  }
});

/** The style sheets of a chunk and of all that it cannot run without. */
const sheetsOf = (key: string): Set<string> =>
  new Set([...withImports(key)].flatMap((each) => manifest[each]?.css ?? []));

test('what any route loads of style sheets, the first page’s included, is at most 20 kB', (t) => {
  const first = sheetsOf(entry());
  const routes = (manifest[entry()]?.dynamicImports ?? []).filter((key) => key.startsWith('src/features/'));
  const weights = routes.map((route) => {
    const sheets = new Set([...first, ...sheetsOf(route)]);
    return { route, total: [...sheets].reduce((sum, file) => sum + sizeOf(file), 0) };
  });
  const [heaviest] = weights.toSorted((a, b) => b.total - a.total);
  assert.ok(first.size > 0 && heaviest !== undefined);
  t.diagnostic(`most style sheets: ${heaviest.route}, ${(heaviest.total / kB).toFixed(1)} kB`);
  assert.ok(heaviest.total <= 20 * kB, `${heaviest.route} loads ${heaviest.total} bytes`);
});
