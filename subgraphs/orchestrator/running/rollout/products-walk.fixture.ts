import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import type { TestContext } from 'node:test';
import { imageOf } from '../../testing/catalogue-app.ts';
import { type DeployingApp, deployingApp } from '../../testing/deploying-app.ts';
import { REPOSITORIES, TAGS } from './walk/act.fixture.ts';
import { createChoices } from './walk/choices.fixture.ts';
import { compareReads } from './walk/compare-reads.fixture.ts';
import { compareChanges, compareRows } from './walk/compare-rows.fixture.ts';
import { codeOf, nextAct } from './walk/random-act.fixture.ts';
import { watchRows } from './walk/row-watch.fixture.ts';
import { createTenant, type Images } from './walk/walked-tenant.fixture.ts';

const STEPS_IN_TENANT = 2_000;

const seed = Number(process.env.MODEL_SEED ?? randomInt(2 ** 31));

const ROWS_EVERY = 50;

const READS_EVERY = 100;

const pushImages = ({ registry }: DeployingApp): Images => {
  const digests = new Map<string, string>();
  for (const repository of REPOSITORIES)
    for (const tag of TAGS) {
      // The same image in two repositories, as two products that share a component have it.
      const image = imageOf(`${repository.split('/').at(-1)} ${tag}`);
      registry.push(repository, image, tag);
      digests.set(`${repository}:${tag}`, image.digest);
    }
  return { digestOf: (repository, tag) => digests.get(`${repository}:${tag}`) ?? '' };
};

/** Takes this many random steps, in tenants of their own so that each begins with new products. */
export const walk = async (context: TestContext, steps: number): Promise<void> => {
  context.diagnostic(`MODEL_SEED=${seed}`);
  await using app = await deployingApp();
  await using watch = await watchRows(app);
  const images = pushImages(app);
  const outcomes = new Map<string, number>();
  const trail: string[] = [];
  try {
    for (let finished = 0, nth = 0; finished < steps; nth += 1) {
      const tenant = await createTenant(app, watch, nth);
      const choices = createChoices(seed + nth);
      await watch.changes();
      for (let step = 1; step <= STEPS_IN_TENANT && finished < steps; step += 1, finished += 1) {
        const run = nextAct(tenant, choices, images);
        trail.push(`${nth}.${step} ${run.summary}: ${run.expected ?? 'done'}`);
        assert.equal(await codeOf(run), run.expected);
        compareChanges(tenant, run, await watch.changes());
        if (step % ROWS_EVERY === 0) await compareRows(tenant, watch);
        if (step % READS_EVERY === 0) await compareReads(tenant);
        const kind = `${run.summary.split(' ')[0]} ${run.expected ?? 'done'}`;
        outcomes.set(kind, (outcomes.get(kind) ?? 0) + 1);
      }
    }
  } catch (error) {
    throw new Error(`MODEL_SEED=${seed}, the last steps:\n${trail.slice(-30).join('\n')}`, { cause: error });
  }
  context.diagnostic(
    [...outcomes]
      .map(([kind, count]) => `${kind} ${count}`)
      .toSorted()
      .join(', '),
  );
  assert.deepEqual(app.bugs, []);
};
