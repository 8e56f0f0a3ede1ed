import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFields } from '../../lib/form-fields.ts';
import { selectionText, sourceSettings } from './source-input.ts';

const fieldsOf = (values: Readonly<Record<string, string>>) => {
  const data = new FormData();
  for (const [name, value] of Object.entries(values)) data.set(name, value);
  return readFields(data);
};

const SETTINGS = { policy: 'REQUEST', versionScheme: 'COUNTER', debounceSeconds: '0', intervalSeconds: '30' };

test('only the rule of the chosen kind is sent', () => {
  const rules = { 'selection.range': '^1.4', 'selection.pattern': 'main-{build}', 'selection.tag': 'stable' };
  const selections = (['SEMVER', 'BUILD', 'TAG'] as const).map((kind) => {
    const fields = fieldsOf({ ...SETTINGS, ...rules });
    const { selection } = sourceSettings(fields, { kind, includePrereleases: true });
    assert.deepEqual(fields.wrong, []);
    return selection;
  });
  assert.deepEqual(selections, [
    { range: '^1.4', includePrereleases: true },
    { pattern: 'main-{build}' },
    { tag: 'stable' },
  ]);
});

test('a missing rule and seconds that are no number are marked at their fields', () => {
  const fields = fieldsOf({ ...SETTINGS, debounceSeconds: '', intervalSeconds: 'soon' });
  sourceSettings(fields, { kind: 'TAG', includePrereleases: false });
  assert.deepEqual(
    fields.wrong.map(({ field }) => field),
    ['selection.tag', 'debounceSeconds', 'intervalSeconds'],
  );
});

test('settings of the form are sent as they are', () => {
  const fields = fieldsOf({ ...SETTINGS, 'selection.tag': 'stable' });
  const { policy, versionScheme, debounceSeconds, intervalSeconds } = sourceSettings(fields, {
    kind: 'TAG',
    includePrereleases: false,
  });
  assert.deepEqual([policy, versionScheme, debounceSeconds, intervalSeconds], ['REQUEST', 'COUNTER', 0, 30]);
});

test('a selection is one phrase', () => {
  const none = {
    __typename: 'ImageSelection' as const,
    range: null,
    includePrereleases: null,
    pattern: null,
    tag: null,
  };
  assert.equal(selectionText({ ...none, kind: 'SEMVER', range: '^1.4' }), 'Versions in ^1.4');
  assert.equal(
    selectionText({ ...none, kind: 'SEMVER', range: '^1.4', includePrereleases: true }),
    'Versions in ^1.4, prereleases included',
  );
  assert.equal(selectionText({ ...none, kind: 'BUILD', pattern: 'main-{build}' }), 'Newest build of main-{build}');
  assert.equal(selectionText({ ...none, kind: 'TAG', tag: 'stable' }), 'Tag stable');
});
