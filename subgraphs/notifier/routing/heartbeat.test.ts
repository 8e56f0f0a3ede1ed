import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { notifierApp } from '../testing/notifier-app.ts';
import { startSink } from '../testing/sink.ts';

const sink = await startSink();
after(() => sink[Symbol.asyncDispose]());
const app = await notifierApp({ heartbeatUrl: `${sink.url}/ping` });
after(() => app[Symbol.asyncDispose]());
const { module } = app;

test('a heartbeat leaves each time, once its event went through rules, rendering and delivery', async () => {
  for (let minute = 1; minute <= 2; minute++) {
    await module.beat();
    assert.equal(sink.received.length, minute - 1);
    await module.route();
    await app.send();
    assert.equal(sink.received.length, minute);
  }
  const [first] = sink.received;
  assert.deepEqual([first?.path, JSON.parse(first?.body ?? '{}').type], ['/ping', 'notifier.heartbeat']);
});
