import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type CrashScenario, crashScenarios } from './crash.fixture.ts';

const onlyLinux = process.platform === 'linux' ? {} : { skip: 'needs /proc' };

/**
 * Launches a deployment while the server dies at the `nth` passing of a failpoint.
 * @returns whether the failpoint was passed that often
 */
const killedAt = async (world: CrashScenario, place: string, nth: number): Promise<boolean> => {
  const launched = await world.approved();
  const server = world.server();
  await server.dieAt(place, nth);
  await world.tryToLaunch(launched);
  const isKilled = await Promise.race([server.ended.then(() => true), world.endOf(launched).then(() => false)]);
  if (isKilled) await world.takeOver();
  else await server.dieAt(place, Number.MAX_SAFE_INTEGER);
  await world.check(launched);
  return isKilled;
};

/**
 * Defines tests that kill the server at every passing of a failpoint, in a deployment to three targets.
 * @param places failpoints with the least number of passings in a deployment
 */
export const testPassings = (places: Readonly<Record<string, number>>): void => {
  const worlds = crashScenarios(3);
  after(() => worlds[Symbol.asyncDispose]());
  for (const [place, atLeast] of Object.entries(places))
    test(`killed at each passing of ${place}, the deployment still has exactly one end`, onlyLinux, async () => {
      let passings = 0;
      while (await worlds.use((world) => killedAt(world, place, passings + 1))) passings += 1;
      assert(passings >= atLeast, `passed ${passings} times`);
    });
};
