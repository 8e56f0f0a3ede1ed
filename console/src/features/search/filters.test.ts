import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chosen, filtersOf, restFiltersOf, toggled, widened } from './filters.ts';

test('filters of the URL reach the graph as its own words, and the stream as the routes spell them', () => {
  const view = { q: 'log4j', domain: 'vex,findings', severity: 'critical', ecosystem: 'npm', type: 'package,image' };
  assert.deepEqual(filtersOf(view), {
    domains: ['FINDINGS', 'VEX'],
    severity: ['CRITICAL'],
    ecosystem: ['npm'],
    entityType: ['package', 'image'],
  });
  assert.deepEqual(restFiltersOf(view), {
    domains: ['vex', 'findings'],
    severity: ['critical'],
    ecosystem: ['npm'],
    entityType: ['package', 'image'],
  });
  assert.equal(filtersOf({ q: 'log4j', k: 25 }), undefined);
  assert.equal(restFiltersOf({}), undefined);
});

test('a value is chosen and taken back, and the last one takes its parameter with it', () => {
  const once = toggled({ q: 'a', card: 'release:1' }, 'severity', 'high');
  assert.deepEqual(once, { q: 'a', card: undefined, severity: 'high' });
  assert.equal(toggled(once, 'severity', 'low').severity, 'high,low');
  assert.equal(toggled(once, 'severity', 'high').severity, undefined);
});

test('what narrows is told in one order, and is taken back as a whole', () => {
  const view = { q: 'a', k: 25, type: 'image', domain: 'vex,policy' };
  assert.deepEqual(chosen(view), [
    { name: 'domain', value: 'vex' },
    { name: 'domain', value: 'policy' },
    { name: 'type', value: 'image' },
  ]);
  assert.deepEqual(widened(view), { q: 'a', k: 25 });
});
