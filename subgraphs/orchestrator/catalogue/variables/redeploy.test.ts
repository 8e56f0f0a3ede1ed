import assert from 'node:assert/strict';
import { test } from 'node:test';
import { served } from '../../testing/agent-processes.ts';
import { buildFaulty, liveApp } from '../../testing/live-app.ts';

const onlyLinux = process.platform === 'linux' ? {} : { skip: 'needs /proc' };

test(
  'a new version of the variables restarts what runs at the next deployment, and a rollback brings the old one back',
  onlyLinux,
  async () => {
    await using app = await liveApp();
    const operator = app.caller('operator');
    const environment = await app.seed.environment({ requiredApprovals: 0 });
    const agent = await app.startAgent('one');
    const { port } = await app.target(environment, agent.id);
    const release = await app.release('1.0.0', buildFaulty('one'));
    const save = (expectedVersion: number, greeting: string) =>
      app.module.variableSets.save(operator, {
        environmentId: environment.id,
        expectedVersion,
        variables: [{ name: 'GREETING', value: greeting }],
      });
    const deploy = async (name = release) => {
      const { id } = await app.module.deployments.launch(operator, {
        promotionId: (await app.seed.approved(name, environment)).id,
      });
      return app.until(id, ({ state }) => state === 'completed');
    };
    const running = async () => [await served(port, '/env'), await served(port, '/pid')];

    await save(0, 'hello');
    assert.equal((await deploy()).variableSetVersion, 1);
    const [greeting, pid] = await running();
    assert.equal(greeting, 'hello');

    await deploy();
    assert.deepEqual(await running(), ['hello', pid], 'the same settings leave it alone');

    await save(1, 'servus');
    assert.equal((await deploy()).variableSetVersion, 2);
    const [changed, newPid] = await running();
    assert.deepEqual([changed, newPid === pid], ['servus', false]);

    await save(2, 'grüezi');
    await deploy(await app.release('2.0.0', buildFaulty('two')));
    assert.equal((await running())[0], 'grüezi');
    const { id } = await app.module.deployments.rollback(operator, {
      environmentId: environment.id,
      reason: 'The second answers wrongly.',
    });
    const back = await app.until(id, ({ state }) => state === 'completed');
    assert.equal(back.variableSetVersion, 2);
    assert.deepEqual([await served(port), (await running())[0]], ['one', 'servus']);
    assert.deepEqual(app.bugs, []);
  },
);
