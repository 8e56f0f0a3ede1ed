import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { goldenCases } from '../replay/case.ts';
import { replay } from '../replay/replay.ts';
import { type Mode, openStage, type Stage } from '../replay/stage.ts';

/** Tests that the product in a run mode answers every recorded request as recorded. */
export const testGoldenFiles = (mode: Mode): void => {
  describe(`golden files, ${mode}`, () => {
    let stage: Stage;
    before(async () => {
      stage = await openStage(mode);
    });
    after(() => stage[Symbol.asyncDispose]());

    for (const golden of goldenCases())
      test(golden.name, async () => {
        assert.equal(await replay(golden, stage), undefined);
      });
  });
};
