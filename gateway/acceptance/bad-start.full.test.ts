import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { badStarts } from './bad-start.fixture.ts';

test('a start that a flag, a port, a file or an exposure prevents says why in one line', async (t) => {
  await using starts = await badStarts();
  const { root, refused } = starts;
  const file = join(root, 'file');
  await writeFile(file, '');
  const listener = createServer().listen(0, '127.0.0.1');
  t.after(() => listener.close());
  await once(listener, 'listening');
  const address = listener.address();
  const port = String(typeof address === 'object' && address ? address.port : 0);

  assert.match(await refused({}, '--frob'), /'--frob'; there is --role/);
  assert.match(
    await refused({ LANDFALL_AUTH_PORT: port }),
    new RegExp(`LANDFALL_AUTH_PORT \\(${port}\\): another program`),
  );
  assert.match(
    await refused({ LANDFALL_CONFIG: join(root, 'none.json') }),
    /LANDFALL_CONFIG: .*none\.json cannot be read/,
  );
  assert.match(await refused({ LANDFALL_DATA_DIR: file }), /LANDFALL_DATA_DIR: .* a part of the path is a file; name/);
  assert.match(
    await refused({ LANDFALL_DATA_DIR: '/proc/self/landfall' }),
    /LANDFALL_DATA_DIR: \/proc\/self\/landfall/,
  );
  assert.match(
    await refused({ LANDFALL_AUTHORITY_ENABLED: 'false', LANDFALL_HOST: '0.0.0.0' }),
    /Authority:Enabled is false while 0\.0\.0\.0 is reachable by others; --insecure accepts that/,
  );
  assert.match(await refused({ DATABASE_URL: 'mysql://db/shop' }), /DATABASE_URL: must begin with postgres:\/\//);
});
