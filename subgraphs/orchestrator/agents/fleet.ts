import type { Deps } from '@landfall/kernel/module';
import { createAgentDoor } from '../agent-door.ts';
import type { TaskListener } from '../deployments/ports.ts';
import type { Registries } from '../integrations/registries.ts';
import type { SecretSource } from '../secrets/secret-source.ts';
import { createAgents } from './agents.ts';
import { createCertificateAuthority } from './certificate-authority.ts';
import { createRegistration } from './registration.ts';
import { createRevocation } from './revocation.ts';
import { createTaskBell } from './task-bell.ts';
import { createTaskLog } from './task-log.ts';
import { createTasks } from './tasks.ts';
import { createWatch } from './watch.ts';

interface FleetPorts {
  readonly registries: Pick<Registries, 'credentials'>;
  readonly secrets: SecretSource;
  readonly listener: TaskListener;
  /** Of SPIFFE ids: the platform's domain. */
  readonly trustDomain: string;
  readonly agentUrl: string;
}

/** Everything about agents: who they are, what they do, their door, and who notices when they fall silent. */
export const createFleet = (deps: Deps, { registries, secrets, listener, trustDomain, agentUrl }: FleetPorts) => {
  const authority = createCertificateAuthority(deps);
  const agents = createAgents(deps);
  const registration = createRegistration({ ...deps, authority, trustDomain, agentUrl });
  const tasks = createTasks({ ...deps, registries, secrets, listener });
  const revocation = createRevocation({ ...deps, tasks });
  const taskLog = createTaskLog(deps);
  return {
    /** What people may do. */
    operations: {
      list: agents.list,
      get: agents.get,
      createToken: registration.createToken,
      revoke: revocation.revoke,
    },
    /** What only agents may do, each for itself. */
    agentOperations: {
      register: registration.register,
      renew: registration.renew,
      heartbeat: agents.heartbeat,
      lease: tasks.lease,
      report: tasks.report,
      log: taskLog.log,
    },
    door: createAgentDoor({
      agents,
      registration,
      tasks,
      taskLog,
      authority,
      bell: createTaskBell(deps),
      ids: deps.ids,
    }),
    watch: createWatch({ ...deps, tasks }),
  };
};
