import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { abstentionApp, type Half } from './abstention.fixture.ts';

const LEAST = 0.95;
const QUESTION_SETS: readonly Half[] = ['tuned', 'held out'];

describe('what is not on record', () => {
  let app: Awaited<ReturnType<typeof abstentionApp>>;
  before(async () => {
    app = await abstentionApp();
  });
  after(async () => {
    await app[Symbol.asyncDispose]();
  });

  for (const questionSet of QUESTION_SETS)
    it(`is not answered with the stories of others, and what is on record is answered (${questionSet})`, async () => {
      for (const { kind, asked, right, wrong } of await app.judge(questionSet)) {
        const least = kind === 'answerable' ? 1 : LEAST;
        assert.ok(right / asked >= least, `${kind}: ${right} of ${asked}; wrong: ${wrong.join(' | ')}`);
      }
    });

  it('is named as unknown', async () => {
    const answerTo = async (question: string): Promise<string> => (await app.ask(question)).sentences[0]?.text ?? '';
    assert.equal(await answerTo('why did payments 3.1 fail'), 'There is no “payments 3.1” on record.');
    assert.equal(await answerTo('why did shop 9.9.9 fail'), 'There is no “shop 9.9.9” on record.');
    assert.equal(await answerTo('tell me a joke'), 'No document names “joke”.');
    assert.match(await answerTo('why was inventory halted'), /^No document names “inventory”\.$/);
  });

  it('a misspelt word is answered as what it is read as, which is told', async () => {
    const { abstained, sentences } = await app.ask('prototipe polution');
    assert.equal(abstained, false);
    assert.deepEqual(
      sentences.slice(0, 2).map(({ text }) => text),
      ['“prototipe” is read as “prototype”.', '“polution” is read as “pollution”.'],
    );
  });
});
