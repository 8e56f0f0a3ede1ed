import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadSettings } from '@landfall/kernel/system/settings';
import { searchSettings } from './settings.ts';

const settings = loadSettings(searchSettings, { env: {} });

// spec: 8/synthesis-quota
test('without a setting a tenant has 200 syntheses a day, ten at once', () => {
  assert.deepEqual([settings.synthesisRequestsPerDay, settings.synthesisMaxConcurrent], [200, 10]);
});

// spec: 8/llm-timeout
test('without a setting a model has five seconds', () => {
  assert.equal(settings.synthesisTimeoutMs, 5_000);
});

// spec: 8/index-refresh
test('without a setting the index is refreshed every 300 s, and no setting makes it less than 30 s', () => {
  const load = (seconds: string) =>
    loadSettings(searchSettings, { env: { SEARCH__UNIFIEDINDEXREFRESHINTERVALSECONDS: seconds } });
  assert.equal(settings.indexRefreshSeconds, 300);
  assert.equal(load('30').indexRefreshSeconds, 30);
  assert.throws(() => load('29'), /30/);
});

// spec: 8/retention
test('without a setting analytics stand for 90 days, are pruned each hour and looked at every five minutes', () => {
  assert.deepEqual(
    [settings.analyticsRetentionDays, settings.analyticsPruneSeconds, settings.qualityMonitorSeconds],
    [90, 3_600, 300],
  );
});
