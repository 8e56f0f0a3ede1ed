import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type CrashScenario, crashScenarios } from './crash.fixture.ts';

const onlyLinux = process.platform === 'linux' ? {} : { skip: 'needs /proc' };

/**
 * Launches a deployment while the server dies at the `nth` passing of a failpoint.
 * @returns whether the failpoint was passed that often
 */
const killedAt = async (scenario: CrashScenario, failpoint: string, nth: number): Promise<boolean> => {
  const launched = await scenario.approved();
  const server = scenario.server();
  await server.dieAt(failpoint, nth);
  await scenario.tryToLaunch(launched);
  const isKilled = await Promise.race([server.ended.then(() => true), scenario.endOf(launched).then(() => false)]);
  if (isKilled) await scenario.takeOver();
  else await server.dieAt(failpoint, Number.MAX_SAFE_INTEGER);
  await scenario.check(launched);
  return isKilled;
};

/**
 * Defines tests that kill the server at every passing of a failpoint, in a deployment to three targets.
 * @param failpoints failpoints with the least number of passings in a deployment
 */
export const testPassings = (failpoints: Readonly<Record<string, number>>): void => {
  const scenarios = crashScenarios(3);
  after(() => scenarios[Symbol.asyncDispose]());
  for (const [failpoint, atLeast] of Object.entries(failpoints))
    test(`killed at each passing of ${failpoint}, the deployment still has exactly one end`, onlyLinux, async () => {
      let passings = 0;
      while (await scenarios.use((scenario) => killedAt(scenario, failpoint, passings + 1))) passings += 1;
      assert(passings >= atLeast, `passed ${passings} times`);
    });
};
