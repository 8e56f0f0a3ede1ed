import { after, before, describe } from 'node:test';
import { isRepresentative, testFaults } from './fault-cases.fixture.ts';
import { type FaultInstallation, startFaultInstallation } from './faults.fixture.ts';

const onlyLinux = process.platform === 'linux' ? {} : { skip: 'needs /proc' };

describe('what goes wrong on the way to a target is told, and the version before it still serves', onlyLinux, () => {
  let installation: FaultInstallation;
  before(async () => {
    installation = await startFaultInstallation();
  });
  after(() => installation[Symbol.asyncDispose]());

  testFaults(
    () => installation,
    (name) => !isRepresentative(name),
  );
});
