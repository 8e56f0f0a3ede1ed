import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importOne, importText } from '../testing/import-text.ts';

const RUSTSEC = `\`\`\`toml
[advisory]
id = "RUSTSEC-2026-0001"
package = "gatehouse"
date = "2026-01-02"
url = "https://fence.example/1"
references = ["https://fence.example/2"]
categories = ["memory-corruption"]
keywords = [ "gate",
  "latch", # the other one
]
aliases = ["CVE-2026-10001", "GHSA-2c2c-3f3f-4g4g"]
cvss = "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H"

[affected.functions]
"gatehouse::Gate::open" = ["< 1.2.0"]
"gatehouse::Gate::close" = ["< 1.2.0"]

[versions]
patched = [">= 1.2.0"]
unaffected = ["< 0.9.0"]
\`\`\`

# Gates open twice

A gate that is \`asked\` twice at once opens twice.
`;

test('an advisory of RustSec is read from its TOML and its Markdown', async () => {
  assert.partialDeepStrictEqual(await importOne('crates/gatehouse/RUSTSEC-2026-0001.md', RUSTSEC), {
    domain: 'findings',
    source: 'rustsec',
    documentKey: 'RUSTSEC-2026-0001',
    entityKey: 'vulnerability:CVE-2026-10001',
    title: 'Gates open twice',
    body: 'A gate that is `asked` twice at once opens twice.\n\nAffected: gatehouse: patched in >= 1.2.0, unaffected < 0.9.0.',
    identifiers: ['CVE-2026-10001', 'RUSTSEC-2026-0001', 'GHSA-2c2c-3f3f-4g4g', 'pkg:cargo/gatehouse'],
    packages: ['gatehouse'],
    severity: 'critical',
    ecosystem: 'crates.io',
    uri: 'https://fence.example/1',
    occurredAt: new Date('2026-01-02T00:00:00Z'),
    attributes: {
      fixed: ['>= 1.2.0'],
      symbols: ['gatehouse::Gate::open', 'gatehouse::Gate::close'],
      keywords: ['gate', 'latch'],
    },
  });
});

test('an advisory of Haskell has packages in a list', async () => {
  const advisory = `\`\`\`toml
[advisory]
id = "HSEC-2026-0001"
cwe = [347]
[[affected]]
package = "gate"
cvss = "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H"
[[affected.versions]]
introduced = "0.1"
fixed = "0.2"
[[references]]
type = "REPORT"
url = "https://fence.example/3"
\`\`\`
# Forged latches

Anybody forges them.`;
  assert.partialDeepStrictEqual(await importOne('HSEC-2026-0001.md', advisory), {
    source: 'haskell',
    title: 'Forged latches',
    packages: ['gate'],
    identifiers: ['HSEC-2026-0001', 'pkg:hackage/gate'],
    uri: 'https://fence.example/3',
    attributes: { fixed: ['0.2'] },
  });
});

test('broken TOML is refused by its line, other Markdown is left aside, and no key of it is a prototype', async () => {
  const broken = await importText('x.md', '```toml\n[advisory]\nid = \n```\n# Title\n');
  assert.deepEqual(broken.refusals, [{ file: 'x.md', line: 3, reason: 'not TOML: invalid value' }]);
  const open = await importText('x.md', '```toml\n[advisory]\nid = "A"\n');
  assert.match(open.refusals[0]?.reason ?? '', /does not end/);
  assert.equal((await importText('README.md', '# Advisories', { isGiven: false })).skipped, 1);
  await importText('x.md', '```toml\n[advisory]\nid = "A"\n[__proto__]\npolluted = 1\n```\n');
  assert.equal('polluted' in {}, false);
});
