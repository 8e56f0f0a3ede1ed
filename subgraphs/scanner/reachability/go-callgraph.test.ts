import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { minimalEnvironment, needs } from '@landfall/kernel/testing/programs';
import { createReachabilityJudge } from './finding-reachability.ts';
import { readGoCallGraph } from './go-callgraph.ts';
import { parseGoFunction } from './go-symbol.ts';
import { keyAt } from './symbol-table.ts';
import { chunked } from './testing/graphs.ts';

const FILES = {
  'go.mod': 'module example.com/shop\n\ngo 1.19\n',
  'main.go': `package main
import "example.com/shop/store"
func main() {
	var s store.Saver = &store.Disk{}
	func() { store.Open() }()
	s.Save()
}`,
  'store/store.go': `package store
type Saver interface{ Save() }
type Disk struct{}
func (d *Disk) Save() {}
func Open() { check() }
func check() {}
func Unused() { check() }`,
};
const advisory = (id: string, names: readonly string[]) => ({
  id,
  aliases: [],
  affected: [
    { ecosystem: 'Go', packageName: 'example.com/shop', symbols: [{ importPath: 'example.com/shop/store', names }] },
  ],
});
const PROGRAM = {
  mainModule: 'example.com/shop',
  modules: [],
  tool: 'callgraph',
  coverage: { complete: true, incompletePackages: [], limitations: [] },
  advisories: [advisory('GO-1', ['check']), advisory('GO-2', ['Unused']), advisory('GO-3', ['Disk.Save'])],
};

test(
  'the output of callgraph on a program says which vulnerable functions it reaches',
  await needs('callgraph', 'go'),
  async (t) => {
    const directory = await mkdtemp(join(tmpdir(), 'callgraph-'));
    t.after(() => rm(directory, { recursive: true, force: true }));
    await mkdir(join(directory, 'store'));
    for (const [name, text] of Object.entries(FILES)) await writeFile(join(directory, name), text);
    const caches = {
      HOME: directory,
      GOCACHE: join(directory, '.cache'),
      GOFLAGS: '-mod=mod',
      GOPROXY: 'off',
      CGO_ENABLED: '0',
    };
    const options = { cwd: directory, env: { ...minimalEnvironment(), ...caches }, maxBuffer: 64 * 1024 * 1024 };
    const { stdout } = await promisify(execFile)('callgraph', ['-algo=rta', '.'], options);
    const graph = await readGoCallGraph(chunked(stdout, 65_536), PROGRAM);
    const judge = createReachabilityJudge(graph);
    const statements = ['GO-1', 'GO-2', 'GO-3'].map(
      (id) => judge({ purl: 'pkg:golang/example.com/shop@v1.0.0', vulnerabilityIds: [id] }).reachability,
    );
    assert.deepEqual(statements, ['reachable', 'unreachable', 'potentially_reachable']);
  },
);

test('both formats of callgraph give the same symbols; only the default tells static calls', async () => {
  const calls = [
    ['example.com/shop.main', 'static', '(*example.com/shop/store.Disk[int]).Save'],
    ['a.b/c.F$1', 'dynamic', 'os.Open'],
  ];
  const full = calls.map(([caller, kind, callee]) => `${caller}\t--${kind}-3:14-->\t${callee}\n`).join('');
  const pairs = calls.map(([caller, , callee]) => `"${caller}" "${callee}"\n`).join('');
  const graphs = [await readGoCallGraph(chunked(full), PROGRAM), await readGoCallGraph(chunked(pairs), PROGRAM)];
  const [first, second] = graphs.map(({ symbols }) =>
    Array.from({ length: symbols.size }, (_, rank) => keyAt(symbols, rank)),
  );
  assert.deepEqual(first, second);
  assert.ok(first?.includes('go|pkg:golang/stdlib|os|Open|'));
  assert.deepEqual(
    graphs.map(({ edges }) => [...edges.confidences].sort()),
    [
      [1, 2],
      [1, 1],
    ],
  );
});

test('text that is no output of callgraph, and a program without entries, are refused', async () => {
  await assert.rejects(readGoCallGraph(chunked('digraph { a -> b }'), PROGRAM), { reason: 'not_a_call_graph' });
  await assert.rejects(readGoCallGraph(chunked(''), PROGRAM), { reason: 'no_entries' });
});

for (const [text, path, name] of [
  ['net/http.Get', 'net/http', 'Get'],
  ['(*net/http.Client).Do', 'net/http', 'Client.Do'],
  ['(gopkg.in/yaml.v3.Node).IsZero$bound', 'gopkg.in/yaml.v3', 'Node.IsZero$bound'],
  ['(*a.b/c.Set[map[string][]d.e/f.T]).Add', 'a.b/c', 'Set.Add'],
  ['slices.Sort[[]int]', 'slices', 'Sort'],
  ['a.b/c.main$1$2', 'a.b/c', 'main$1$2'],
  ['(error).Error', '', 'error.Error'],
] as const)
  test(`${text} is the function ${name} of ${path === '' ? 'the language' : path}`, () => {
    assert.deepEqual(parseGoFunction(text), { path, name });
  });
