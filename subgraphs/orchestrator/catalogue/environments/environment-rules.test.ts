import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toId } from '@landfall/kernel/core/ids';
import { removeRefusal } from './environment-rules.ts';

const id = '00000000-0000-7000-8000-000000000000';

test('an environment that much uses names the first of each kind, and says that there are more', () => {
  const use = (kind: 'target' | 'product', name: string) => ({
    environmentId: toId(id, 'Environment'),
    kind,
    id,
    name,
  });
  const targets = [1, 2, 3, 4, 5, 6].map((n) => use('target', `web-${n}`));
  const refusal = removeRefusal([...targets, use('product', 'shop')]);
  assert.equal(
    refusal?.message,
    'This environment is in use by targets (web-1, web-2, web-3, web-4, web-5 and more), products (shop). ' +
      'Remove its targets, steps and promotions first.',
  );
  assert.equal(removeRefusal([]), undefined);
});
