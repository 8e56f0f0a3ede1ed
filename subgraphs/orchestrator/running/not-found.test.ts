import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { exampleId } from '@landfall/kernel/core/ids';
import { catalogueApp } from '../testing/catalogue-app.ts';

const app = await catalogueApp();
after(() => app[Symbol.asyncDispose]());

const { releases, environments, promotions, deployments } = app.module;
const operator = app.caller('operator');

const refusalOf = async (answer: Promise<unknown>): Promise<unknown> =>
  answer.then(
    () => assert.fail('it was answered'),
    (error: unknown) => JSON.stringify(error instanceof Error && { ...error, message: error.message }),
  );

test('what is not there is said to be missing in the same words wherever it is asked for', async () => {
  const releaseId = exampleId('Release');
  const environmentId = exampleId('Environment');
  const promotionId = exampleId('Promotion');
  const noRelease = await refusalOf(releases.get(operator, { id: releaseId }));
  assert.match(String(noRelease), /There is no release/);
  const { id: known } = await app.seed.environment();
  assert.equal(await refusalOf(deployments.plan(operator, { releaseId, environmentId: known })), noRelease);
  assert.equal(await refusalOf(deployments.preflight(operator, { releaseId })), noRelease);

  const noEnvironment = await refusalOf(environments.get(operator, { id: environmentId }));
  const { id: release } = await app.seed.draft();
  assert.equal(await refusalOf(deployments.plan(operator, { releaseId: release, environmentId })), noEnvironment);
  assert.equal(await refusalOf(deployments.preflight(operator, { releaseId: release, environmentId })), noEnvironment);

  const noPromotion = await refusalOf(promotions.get(operator, { id: promotionId }));
  assert.equal(await refusalOf(deployments.launch(operator, { promotionId })), noPromotion);
});
