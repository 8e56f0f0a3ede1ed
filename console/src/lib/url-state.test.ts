import assert from 'node:assert/strict';
import { test } from 'node:test';
import { flag, integer, oneOf, type Search, someOf, splitList, textParam, usePageView, view } from './url-state.ts';

const read = view({ status: oneOf(['DRAFT', 'READY'] as const), name: textParam, look: flag });

test('what makes sense is read', () => {
  assert.deepEqual(read({ status: 'READY', name: ' checkout ', look: true }), {
    search: { status: 'READY', name: 'checkout', look: true },
    unread: [],
  });
});

test('a name that looks like a number is still a name', () => {
  assert.deepEqual(read({ name: 42 }).search, { name: '42' });
});

test('what makes no sense is left out and named', () => {
  assert.deepEqual(read({ status: 'SHIPPED', look: 'maybe', name: 'a' }), {
    search: { status: undefined, look: undefined, name: 'a' },
    unread: ['status', 'look'],
  });
});

test('a whole number is read within its bounds only', () => {
  const { read: percent } = integer(1, 100);
  assert.deepEqual(
    [25, '25', 0, 101, 2.5, 'many', ''].map((raw) => percent(raw)),
    [25, 25, undefined, undefined, undefined, undefined, undefined],
  );
});

test('some of a closed list are read in its order, each once, and one stranger spoils them all', () => {
  const { read: some } = someOf(['critical', 'high', 'low']);
  assert.deepEqual(
    ['high', 'low,critical,low', 'critical,worst', '', ',', undefined].map((raw) => some(raw)),
    ['high', 'critical,low', undefined, undefined, undefined, undefined],
  );
  assert.deepEqual(splitList('critical,low'), ['critical', 'low']);
  assert.deepEqual(splitList(undefined), []);
});

test('an empty parameter is an absent one, and others are not ours', () => {
  assert.deepEqual(read({ name: '', utm: 'x' }), { search: {}, unread: [] });
});

test('two changes of one moment are both in the address, although the page has drawn neither', () => {
  type Params = { name: string; look: true; after: string };
  let address: Search<Params> = { after: 'x' };
  const drawn = usePageView<Params>(address, ({ search }) => {
    address = search(address);
  });
  drawn.filterBy({ name: 'checkout' });
  drawn.set({ look: true });
  assert.deepEqual(address, { after: undefined, name: 'checkout', look: true });
});
