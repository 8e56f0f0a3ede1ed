import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { publishedRoutes } from './published.ts';
import { goldenCases } from './replay/case.ts';
import { replay } from './replay/replay.ts';
import { modes, openStage, type Stage } from './replay/stage.ts';

const cases = goldenCases();

for (const mode of modes) {
  describe(`golden files, ${mode}`, () => {
    let stage: Stage;
    before(async () => {
      stage = await openStage(mode);
    });
    after(() => stage[Symbol.asyncDispose]());

    for (const golden of cases)
      test(golden.name, async () => {
        assert.equal(await replay(golden, stage), undefined);
      });
  });
}

/** Pages for people are forms with one-time tokens; browser tests see them. */
const PAGES =
  /^\/(?:|(?:authorize|sign-in|consent|device|account|account-link|passkey|federation|end-session)(?:\/.+)?|passkey\.js)$/;

test('every route has a golden file', () => {
  const asked = cases.map(({ request }) => (request.split('\n')[0] ?? '').replace(/\{\{(?:base|auth)Url\}\}/, ''));
  const isAsked = (method: string, path: string): boolean => {
    const pattern = new RegExp(`^${method} ${path.replace('*', '.+').replace(/:\w+/g, '[^/?]+')}(?:\\?.*)?$`);
    return asked.some((line) => pattern.test(line));
  };
  const missing = publishedRoutes()
    .filter(({ path }) => !PAGES.test(path))
    .filter(({ method, path }) => !isAsked(method, path))
    .map(({ method, path }) => `${method} ${path}`);
  assert.deepEqual(missing, []);
});
