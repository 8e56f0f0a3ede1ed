import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineSettings, loadSettings, settingsMarkdown } from './settings.ts';

const table = defineSettings({
  enabled: { type: 'boolean', default: false, name: 'ScoreReplay:Enabled', description: 'Replay.' },
  port: {
    type: 'integer',
    default: 4000,
    min: 0,
    max: 65_535,
    env: 'LANDFALL_PORT',
    name: 'Port',
    description: 'Web.',
  },
  wait: { type: 'duration', default: '15m', name: 'Wait', description: 'Pause.' },
  mode: { type: 'string', oneOf: ['postgres', 'memory'], name: 'Mode', description: 'Where a | b.' },
  hosts: { type: 'list', default: ['a'], name: 'Hosts', description: 'Hosts.' },
  key: { type: 'url', env: 'KEY', secret: true, description: 'Secret.' },
  weight: { type: 'number', default: 0.05, min: 0, max: 10, name: 'Weight', description: 'Boost.' },
});

test('an empty source gives the defaults, and a setting without one is undefined', () => {
  assert.deepEqual(loadSettings(table, { env: {} }), {
    enabled: false,
    port: 4000,
    wait: 900_000,
    mode: undefined,
    hosts: ['a'],
    key: undefined,
    weight: 0.05,
  });
});

// spec: rulings/33
test('the spelling of the specification is accepted in files, in any case, nested or flat', () => {
  for (const file of [{ 'ScoreReplay:Enabled': true }, { scorereplay: { ENABLED: 'true' } }])
    assert.equal(loadSettings(table, { env: {}, file }).enabled, true);
});

test('a setting has every spelling of the specification', () => {
  const text = defineSettings({
    wait: { type: 'integer', default: 1, name: 'Answers:WaitMs', also: ['WaitMs'], description: 'Wait.' },
  });
  for (const file of [{ Answers: { WaitMs: 7 } }, { waitms: 7 }])
    assert.equal(loadSettings(text, { env: {}, file }).wait, 7);
  assert.equal(loadSettings(text, { env: { WAITMS: '9' }, file: { WaitMs: 7 } }).wait, 9);
});

// spec: rulings/33
test('the environment wins over the file, by its own name or with __ for :', () => {
  const file = { Port: 1, ScoreReplay: { Enabled: false }, Hosts: ['x', 'y'] };
  const settings = loadSettings(table, { env: { LANDFALL_PORT: '2', SCOREREPLAY__ENABLED: '1' }, file });
  assert.deepEqual([settings.port, settings.enabled, settings.hosts], [2, true, ['x', 'y']]);
  assert.equal(loadSettings(table, { env: { LANDFALL_PORT: '' }, file }).port, 1);
});

test('durations carry their unit and read as milliseconds', () => {
  const wait = (text: string) => loadSettings(table, { env: { WAIT: text } }).wait;
  assert.deepEqual(['250ms', '90s', '2m', '1h', '30d'].map(wait), [250, 90_000, 120_000, 3_600_000, 2_592_000_000]);
  for (const bad of ['15', '1 s', '-1s', 's', '1.5h']) assert.throws(() => wait(bad), /duration/);
});

test('a number may have a fraction, in the environment as in the file, and has bounds', () => {
  const weight = (text: string) => loadSettings(table, { env: { WEIGHT: text } }).weight;
  assert.deepEqual(['0.25', '3', '10'].map(weight), [0.25, 3, 10]);
  assert.equal(loadSettings(table, { env: {}, file: { Weight: 1.5 } }).weight, 1.5);
  for (const bad of ['-0.1', '10.1', '1e3', 'NaN', '1,5']) assert.throws(() => weight(bad), /number from 0 to 10/);
});

test('every problem is reported at once, with its name and reason', () => {
  const file = { Port: 70_000, Typo: 1, Wait: 5, Hosts: [1] };
  const env = { SCOREREPLAY__ENABLED: 'maybe', MODE: 'disk', KEY: 'no url' };
  assert.throws(
    () => loadSettings(table, { env, file }),
    (error) => {
      assert.ok(error instanceof Error);
      for (const line of [
        /typo: is no setting/,
        /Port: must be a whole number from 0 to 65535, not 70000/,
        /ScoreReplay__Enabled: must be true or false, not "maybe"/,
        /Wait: must be a duration/,
        /Mode: must be one of postgres, memory, not "disk"/,
        /Hosts: must be a list/,
        /KEY: must be a URL[;.]/,
      ])
        assert.match(error.message, line);
      return true;
    },
  );
});

test('a URL of another scheme is refused, and a secret one is not shown', () => {
  const { url } = defineSettings({
    url: { type: 'url', env: 'URL', secret: true, schemes: ['postgres', 'postgresql'], description: 'Where.' },
  });
  const read = (URL: string) => loadSettings({ url }, { env: { URL } }).url;
  assert.equal(read('postgresql://db/x'), 'postgresql://db/x');
  assert.throws(() => read('mysql://ann:word@db/x'), {
    message: 'The settings cannot be used: URL: must begin with postgres:// or postgresql://.',
  });
});

test('settings cannot be changed after they are read', () => {
  assert.ok(Object.isFrozen(loadSettings(table, { env: {} })));
});

test('the README section has a row for each setting', () => {
  const lines = settingsMarkdown(table).trimEnd().split('\n');
  assert.equal(lines.length, 2 + Object.keys(table).length);
  assert.equal(lines[2], '| `ScoreReplay:Enabled` |  | boolean | `false` | Replay. |');
  assert.equal(lines[5], '| `Mode` |  | postgres \\| memory |  | Where a \\| b. |');
});

test('a map is an object of the file, JSON of a variable, and single entries that go before both', () => {
  const table = defineSettings({
    plans: { type: 'map', default: {}, env: 'APP_PLANS', name: 'App:Plans', description: 'Plans.' },
  });
  const plansOf = (env: Record<string, string>, file: unknown = {}) => loadSettings(table, { env, file }).plans;
  assert.deepEqual(plansOf({}), {});
  assert.deepEqual(plansOf({}, { App: { Plans: { Pro: { a: [1] } } } }), { Pro: { a: [1] } });
  assert.deepEqual(plansOf({ APP_PLANS: '{"x":1}' }, { App: { Plans: { y: 2 } } }), { x: 1 });
  assert.deepEqual(plansOf({ APP_PLANS__y: '3', App__Plans__z__0__k: 'v' }, { App: { Plans: { y: 2 } } }), {
    y: '3',
    z: { 0: { k: 'v' } },
  });
  assert.throws(() => plansOf({ APP_PLANS: '[1]' }), /APP_PLANS: must be an object/);
});
