import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCheckpoint } from '../signature/signed-note.ts';
import { appendRange, ORIGIN, testLog } from './test-log.fixture.ts';
import { startWitness } from './witness.fixture.ts';
import { parseWitnesses } from './witness-client.ts';
import { createWitnessedLog } from './witnessed-log.ts';

const NAME = 'witness.example/w1';

/** Creates a log with a witness for the duration of the test. */
const witnessed = async () => {
  await using stack = new AsyncDisposableStack();
  const fixture = stack.use(await testLog());
  const { keys, deps } = fixture;
  const witness = stack.use(await startWitness(NAME, ORIGIN, () => keys.list('log')));
  const parts = () => createWitnessedLog(deps, { origin: ORIGIN, keys, witnesses: [witness.setting] });
  const namesOn = async (): Promise<string[]> => {
    const newest = await fixture.log.newest();
    return parseCheckpoint(newest?.note ?? '')?.signatures.map(({ name }) => name) ?? [];
  };
  const resources = stack.move();
  return { fixture, witness, parts, namesOn, [Symbol.asyncDispose]: () => resources.disposeAsync() };
};

test('a witness cosigns each newest checkpoint, and its line is served with it', async () => {
  await using setup = await witnessed();
  const { fixture, witness, parts, namesOn } = setup;
  const { turn, log } = parts();
  assert.equal(await turn(), 0, 'an empty log has nothing to cosign');
  for (const to of [1, 300, 700]) {
    await appendRange(fixture, to === 1 ? 0 : to - 299, to);
    assert.deepEqual(await namesOn(), [ORIGIN]);
    assert.equal(await turn(), 1);
    assert.deepEqual(await namesOn(), [ORIGIN, NAME]);
  }
  const { asked } = witness.state;
  assert.equal(await turn(), 0);
  assert.equal(witness.state.asked, asked, 'nobody is asked twice for one tree');
  assert.equal(parseCheckpoint((await log.find(3))?.checkpoint ?? '')?.signatures.length, 2);
});

test('a witness that remembers more than we do says so, and is asked again from there', async () => {
  await using setup = await witnessed();
  const { fixture, witness, parts, namesOn } = setup;
  await appendRange(fixture, 0, 10);
  await parts().turn();
  await fixture.tamper('delete from tlog.cosignatures');
  await appendRange(fixture, 10, 20);
  const { asked } = witness.state;
  assert.equal(await parts().turn(), 1);
  assert.equal(witness.state.asked, asked + 2);
  assert.deepEqual(await namesOn(), [ORIGIN, NAME]);
});

test('a witness that saw a larger tree than there is gets nothing to cosign', async () => {
  await using setup = await witnessed();
  const { fixture, witness, parts, namesOn } = setup;
  await appendRange(fixture, 0, 10);
  witness.state.seen = { size: 11, rootHash: Buffer.alloc(32) };
  assert.equal(await parts().turn(), 0);
  witness.state.seen = { size: 5, rootHash: Buffer.alloc(32) };
  assert.equal(await parts().turn(), 0, 'nor one that saw another history');
  assert.deepEqual(await namesOn(), [ORIGIN]);
});

test('a cosignature of another key, of another text, or none at all is not kept', async () => {
  await using setup = await witnessed();
  const { fixture, witness, parts, namesOn } = setup;
  await appendRange(fixture, 0, 3);
  await using impostor = await startWitness(NAME, ORIGIN, async () => []);
  const note = (await fixture.log.newest())?.note ?? '';
  const bodies = ['', 'no line\n', impostor.cosign(note, 1), witness.cosign(note.replace('\n3\n', '\n4\n'), 1)];
  for (const body of bodies) {
    witness.state.answer = () => ({ status: 200, type: 'text/plain', body });
    assert.equal(await parts().turn(), 0);
  }
  assert.deepEqual(await namesOn(), [ORIGIN]);
});

test('a witness that is away holds nothing up, and is asked again after a while', async () => {
  await using setup = await witnessed();
  const { fixture, witness, parts, namesOn } = setup;
  const { turn } = parts();
  await appendRange(fixture, 0, 3);
  witness.state.answer = () => ({ status: 503, type: 'text/plain', body: '' });
  assert.equal(await turn(), 0);
  witness.state.answer = undefined;
  const { asked } = witness.state;
  assert.equal(await turn(), 0);
  assert.equal(witness.state.asked, asked);
  await fixture.clock.advance(2_000);
  assert.equal(await turn(), 1);
  assert.deepEqual(await namesOn(), [ORIGIN, NAME]);
});

test('a witness that is spelled wrong stops the start', () => {
  for (const bad of ['w1', 'w1=http://w1', 'w1+00000000+AAAA=http://w1'])
    assert.throws(() => parseWitnesses([bad]), /Log:Witnesses/);
});
