import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { admin, notifierApp, operator } from '../testing/notifier-app.ts';

const app = await notifierApp();
after(() => app[Symbol.asyncDispose]());
const { rules } = app.module;

test('a change made from an older version of a rule is refused, and overwrites nothing', async () => {
  const { id, version } = await rules.create(admin, { name: 'pager', priority: 1, matchers: [], actions: [] });
  const first = await rules.update(admin, { id, expectedVersion: version, priority: 2 });
  await assert.rejects(rules.update(admin, { id, expectedVersion: version, priority: 3 }), {
    code: 'RES_VERSION_CONFLICT',
    message: /^Somebody changed the rule pager since you opened it\. Load it again/,
    details: { expected: version, actual: first.version },
  });
  assert.equal((await rules.get(operator, { id })).priority, 2);
  assert.equal((await rules.update(admin, { id, expectedVersion: first.version, priority: 3 })).priority, 3);
  assert.equal((await rules.update(admin, { id, priority: 4 })).priority, 4);
});
