import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkRawNetwork } from './raw-network.ts';

const linesOf = (text: string, file = 'subgraphs/scanner/drifts/client.ts') =>
  checkRawNetwork([{ file, text }]).map(({ line }) => line);

test('the server opens no connection outwards but by the pieces that ask the egress policy', () => {
  for (const text of [
    "import { connect } from 'node:net';",
    "import { isIP, connect as open } from 'node:tls';",
    "import { connect } from 'net';",
    "import * as net from 'node:net';",
    "import dgram from 'node:dgram';",
    "import { type Dispatcher, request } from 'undici';",
    "import {\n  request,\n} from 'node:https';",
    "import { resolve4 } from 'node:dns/promises';",
    "const { request } = await import('undici');",
    'const answer = await fetch(url);',
  ])
    assert.deepEqual(linesOf(`\n${text}\n`), [2], text);
});

test('types, listeners, pure functions, tests and the pieces themselves may', () => {
  for (const text of [
    "import type { Socket } from 'node:net';",
    "import { createServer, isIP, type Socket } from 'node:net';",
    "import { createServer as createTlsServer } from 'node:https';",
    'const found = await distribution.fetch(url);',
    'const walk = (fetch: Fetch) => fetch(url);',
  ])
    assert.deepEqual(linesOf(text), [], text);
  assert.deepEqual(linesOf("import { connect } from 'node:net';", 'subgraphs/kernel/system/connect.ts'), []);
  assert.deepEqual(linesOf("import { connect } from 'node:net';", 'subgraphs/kernel/system/connect.test.ts'), []);
});
