import assert from 'node:assert/strict';
import { test } from 'node:test';
import { graphFilters, restFilters, selected, toggleFilter, withoutFilters } from './filters.ts';

test('filters of the URL reach the graph as its own words, and the stream as the routes spell them', () => {
  const view = { q: 'log4j', domain: 'vex,findings', severity: 'critical', ecosystem: 'npm', type: 'package,image' };
  assert.deepEqual(graphFilters(view), {
    domains: ['FINDINGS', 'VEX'],
    severity: ['CRITICAL'],
    ecosystem: ['npm'],
    entityType: ['package', 'image'],
  });
  assert.deepEqual(restFilters(view), {
    domains: ['vex', 'findings'],
    severity: ['critical'],
    ecosystem: ['npm'],
    entityType: ['package', 'image'],
  });
  assert.equal(graphFilters({ q: 'log4j', k: 25 }), undefined);
  assert.equal(restFilters({}), undefined);
});

test('a value is chosen and taken back, and the last one takes its parameter with it', () => {
  const once = toggleFilter({ q: 'a', card: 'release:1' }, 'severity', 'high');
  assert.deepEqual(once, { q: 'a', card: undefined, severity: 'high' });
  assert.equal(toggleFilter(once, 'severity', 'low').severity, 'high,low');
  assert.equal(toggleFilter(once, 'severity', 'high').severity, undefined);
});

test('what narrows is told in one order, and is taken back as a whole', () => {
  const view = { q: 'a', k: 25, type: 'image', domain: 'vex,policy' };
  assert.deepEqual(selected(view), [
    { name: 'domain', value: 'vex' },
    { name: 'domain', value: 'policy' },
    { name: 'type', value: 'image' },
  ]);
  assert.deepEqual(withoutFilters(view), { q: 'a', k: 25 });
});
