import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@landfall/kernel/core/fault';
import { type TargetDriver, targetDrivers } from '../../shared/enums.ts';
import { divideTraffic, driverLocationOf, drivers, portOf, probeOf } from './drivers.ts';

const faultsOf = (driver: TargetDriver, config: unknown) => {
  try {
    drivers[driver].parse(config);
    return [];
  } catch (error) {
    assert.ok(error instanceof Fault, String(error));
    return error.fields.map(({ field, code }) => `${field} ${code}`);
  }
};

test('each driver has its own fields, and defaults for what nobody said', () => {
  const probe = { probePath: '/', probeTimeoutSeconds: 30, env: [] };
  assert.deepEqual(drivers.process.parse({ port: 80 }), { port: 80, ...probe });
  assert.deepEqual(drivers.sandbox.parse({ port: 80, probePath: '/up' }), { ...probe, port: 80, probePath: '/up' });
  assert.deepEqual(drivers.static_slot.parse({ slot: 'www' }), { slot: 'www', env: [] });
  assert.deepEqual(drivers.compose.parse({ port: 80, project: 'shop', env: null }), {
    ...probe,
    port: 80,
    project: 'shop',
  });
});

// spec: 7.2/VAL_SCHEMA_MISMATCH
test('a field that is unknown, another driver’s, missing or out of bounds is refused by its name, all at once', () => {
  assert.deepEqual(faultsOf('process', { port: 80, slot: 'www' }), ['config.slot VAL_SCHEMA_MISMATCH']);
  assert.deepEqual(faultsOf('sandbox', { port: '80' }), ['config.port VAL_SCHEMA_MISMATCH']);
  assert.deepEqual(faultsOf('static_slot', { port: 80, probePath: '/' }).toSorted(), [
    'config.port VAL_SCHEMA_MISMATCH',
    'config.probePath VAL_SCHEMA_MISMATCH',
    'config.slot VAL_REQUIRED_FIELD',
  ]);
  assert.deepEqual(faultsOf('compose', { port: 0, project: 'Shop', containerPort: 70_000, replicas: 2 }).toSorted(), [
    'config.containerPort VAL_INVALID_VALUE',
    'config.port VAL_INVALID_VALUE',
    'config.project VAL_INVALID_FORMAT',
    'config.replicas VAL_SCHEMA_MISMATCH',
  ]);
  for (const driver of targetDrivers)
    for (const config of [null, [], 'x', 1, { env: [{ name: '1', value: 'x' }] }])
      assert.notDeepEqual(faultsOf(driver, config), [], `${driver} ${JSON.stringify(config)}`);
});

test('a name that leads out of its directory is no slot', () => {
  for (const slot of ['', '.', '..', 'a/b', '/a', 'A', 'a ', '-a', 'a-', 'a\0', 'x'.repeat(65)])
    assert.equal(faultsOf('static_slot', { slot }).length, 1, JSON.stringify(slot));
});

test('what agents are told of a target is the driver’s: its capability, its place, a port a component', () => {
  const capabilities = targetDrivers.map((driver) => drivers[driver].capability);
  assert.deepEqual(capabilities, ['process', 'sandbox', 'static-slot', 'compose']);
  const compose = drivers.compose.parse({ port: 80, project: 'shop', containerPort: 8080, probeTimeoutSeconds: 5 });
  assert.deepEqual(driverLocationOf(compose), { project: 'shop', containerPort: 8080 });
  assert.deepEqual(probeOf(compose), { path: '/', timeoutMs: 5_000 });
  assert.deepEqual([portOf(compose, 0), portOf(compose, 2)], [80, 82]);
  const slot = drivers.static_slot.parse({ slot: 'www' });
  assert.deepEqual([driverLocationOf(slot), portOf(slot, 0)], [{ slot: 'www' }, null]);
  assert.equal(driverLocationOf(drivers.process.parse({ port: 80 })), null);
});

test('traffic is divided only where every target has a router before it', () => {
  const of = (...names: TargetDriver[]) => divideTraffic(names.map((driver) => ({ driver })));
  assert.deepEqual([of('process', 'sandbox'), of('process', 'compose'), of('static_slot')], [true, false, false]);
});
