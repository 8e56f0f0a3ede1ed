import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { test } from 'node:test';

type Generate = (index: number) => string;

/** Component as generators write it, about 400 bytes. */
const usualComponent: Generate = (index) => {
  const purl = `pkg:npm/%40scope/package-${index}@1.0.${index}`;
  const content = createHash('sha256').update(purl).digest('hex');
  return JSON.stringify({
    type: 'library',
    'bom-ref': `${purl}?package-id=${content.slice(0, 16)}`,
    name: `package-${index}`,
    version: `1.0.${index}`,
    hashes: [{ alg: 'SHA-256', content }],
    licenses: [{ license: { id: 'MIT' } }],
    purl,
    properties: [{ name: 'location', value: '/app/package-lock.json' }],
  });
};

/** Component with what a scan reads only, about 100 bytes: a million in 100 MB. */
const minimalComponent: Generate = (index) =>
  JSON.stringify({
    type: 'library',
    name: `package-${index}`,
    version: `1.0.${index}`,
    purl: `pkg:npm/package-${index}@1.0.${index}`,
  });

for (const [name, componentOf] of Object.entries({ usual: usualComponent, minimal: minimalComponent }))
  test(`a document of 100 MB of ${name} components grows the resident set by at most 300 MB`, (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'sbom-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'sbom.json');
    writeFileSync(path, '{"bomFormat":"CycloneDX","specVersion":"1.6","components":[');
    let count = 0;
    for (let size = 0; size < 100_000_000; ) {
      const block = Array.from({ length: 10_000 }, () => componentOf(count++)).join(',\n');
      size += block.length;
      writeFileSync(path, size < 100_000_000 ? `${block},` : `${block}]}`, { flag: 'a' });
    }
    const fixture = join(import.meta.dirname, 'memory.fixture.ts');
    const [components, growth] = JSON.parse(execFileSync(execPath, [fixture, path], { encoding: 'utf8' }));
    assert.equal(components, count);
    assert.ok(growth < 300_000_000, `it grew by ${growth} bytes`);
    t.diagnostic(`${components} components, ${Math.round(growth / 1e6)} MB`);
  });
