import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeFile } from './import-law.ts';
import { importsOf } from './lint/sources.ts';

const messages = (file: string, specifier: string): string[] =>
  judgeFile({ file, text: `import { x } from '${specifier}';\n` }).map(({ message }) =>
    message.replace(`'${specifier}': `, ''),
  );

const allowed = [
  ['subgraphs/kernel/core/fault.ts', '@landfall/schema/codes'],
  ['subgraphs/kernel/db/pool.ts', '../fault.ts'],
  ['subgraphs/orchestrator/index.ts', '@landfall/kernel/core/fault'],
  ['subgraphs/orchestrator/index.ts', './releases/releases.store.ts'],
  ['subgraphs/agent/main.ts', '@landfall/kernel/crypto/digest'],
  ['subgraphs/agent/oci/pull.ts', '../protocol/failure.ts'],
  ['subgraphs/orchestrator/running/fleet/agent-listener-routes.ts', '@landfall/agent/protocol/messages'],
  ['gateway/bench/fleet.ts', '@landfall/agent/connection'],
  ['subgraphs/agent/main.test.ts', '@landfall/kernel/testing/oci-registry'],
  ['rest-compat/routes/authority.ts', '@landfall/authority'],
  ['gateway/main.ts', '@landfall/rest-compat/routes/authority'],
  ['gateway/main.ts', 'pg'],
  ['gateway/cli/commands/verify.ts', '@landfall/attestation/bundle/verify-bundle'],
  ['subgraphs/orchestrator/demo/images.ts', '@landfall/kernel/testing/oci-registry'],
  ['gateway/graph/graph.test.ts', '@landfall/kernel/testing/app'],
  ['console/src/lib/graph-client.ts', '@landfall/schema/codes'],
  ['console/src/ui/Button.tsx', 'react-aria-components'],
  ['console/src/features/today/Today.tsx', '../../ui/Button.tsx'],
] as const;

for (const [file, specifier] of allowed) {
  test(`${file} may import ${specifier}`, () => assert.deepEqual(messages(file, specifier), []));
}

const refused = [
  ['schema/codes.ts', '@landfall/kernel/core/fault', /schema may not import kernel/],
  ['schema/codes.ts', '../subgraphs/kernel/core/fault.ts', /relative path/],
  ['subgraphs/kernel/core/fault.ts', '@landfall/authority', /kernel may not import authority/],
  ['subgraphs/orchestrator/index.ts', '@landfall/authority', /orchestrator may not import authority/],
  ['subgraphs/orchestrator/index.test.ts', '../authority/index.ts', /relative path/],
  ['subgraphs/agent/main.ts', '../releases/releases.ts', /relative path/],
  ['subgraphs/agent/main.ts', '@landfall/kernel/db/pool', /may not carry kernel\/db\/pool/],
  ['subgraphs/agent/main.ts', '@landfall/kernel/testing/clock', /may not carry/],
  ['subgraphs/orchestrator/running/fleet/agent-listener-routes.ts', '@landfall/agent/tasks/apply', /shares no/],
  ['subgraphs/agent/main.ts', '@landfall/orchestrator', /agent may not import orchestrator/],
  ['subgraphs/agent/main.test.ts', 'pg', /no database/],
  ['rest-compat/routes/authority.ts', '@landfall/authority/users', /index only/],
  ['rest-compat/routes/authority.ts', '@landfall/gateway/main', /rest-compat may not import gateway/],
  ['subgraphs/orchestrator/resolvers.ts', './releases/releases.store.ts', /never a store/],
  ['subgraphs/orchestrator/running/fleet/agent-listener-routes.ts', './jobs.store.ts', /never a store/],
  ['console/src/lib/graph-client.ts', '@landfall/kernel/core/fault', /console may not import kernel/],
  ['console/src/features/today/Today.tsx', 'react-aria-components', /only console\/src\/ui/],
  ['console/src/features/today/Today.tsx', '../inbox/Inbox.tsx', /feature today may not import feature inbox/],
  ['subgraphs/orchestrator/demo/images.ts', '@landfall/kernel/testing/app', /is for tests/],
  ['gateway/main.ts', '@landfall/kernel/testing/oci-registry', /is for tests/],
  ['subgraphs/attestation/log/log.ts', '@landfall/orchestrator', /attestation may not import orchestrator/],
  ['gateway/cli/commands/verify.ts', '@landfall/orchestrator/releases/releases', /index only/],
  ['e2e/flow.test.ts', '@landfall/orchestrator', /e2e may not import orchestrator/],
] as const;

for (const [file, specifier, message] of refused) {
  test(`${file} may not import ${specifier}`, () => {
    assert.match(messages(file, specifier).join(), message);
  });
}

test('types, re-exports, side effects, many lines and dynamic imports are imports too', () => {
  const text = [
    "import type { A } from './type.ts';",
    "export { b } from './re-export.ts';",
    "export * from './all.ts';",
    "import './effect.ts';",
    'import {',
    '  c,',
    '  type D as E,',
    "} from './lines.ts';",
    "const f = await import('./dynamic.ts');",
    "export const g = 'not from here';",
  ].join('\n');
  assert.deepEqual(
    importsOf({ file: 'gateway/x.ts', text }).map(({ line, specifier }) => `${line} ${specifier}`),
    ['1 ./type.ts', '2 ./re-export.ts', '3 ./all.ts', '4 ./effect.ts', '5 ./lines.ts', '9 ./dynamic.ts'],
  );
});
