import type { Deps } from '@landfall/kernel/module';
import type { Registries } from '../../catalogue/integrations/registries.ts';
import type { SecretSource } from '../../catalogue/secrets/secret-source.ts';
import type { TaskListener } from '../rollout/ports.ts';
import { createTaskLog } from '../tasks/task-log.ts';
import { createTaskNotifications } from '../tasks/task-notifications.ts';
import { createTasks } from '../tasks/tasks.ts';
import { createAgentListenerRoutes } from './agent-listener-routes.ts';
import { createAgents } from './agents.ts';
import { createCertificateAuthority } from './certificate-authority.ts';
import { createRegistration } from './registration.ts';
import { createAgentRevocation } from './revocation.ts';
import { createWatch } from './silence-detection.ts';

interface FleetPorts {
  readonly registries: Pick<Registries, 'credentials'>;
  readonly secrets: SecretSource;
  readonly listener: TaskListener;
  /** Trust domain of SPIFFE ids. */
  readonly trustDomain: string;
  readonly agentUrl: string;
}

/** Creates the operations on agents, the agents' listener, and silence detection. */
export const createFleet = (deps: Deps, { registries, secrets, listener, trustDomain, agentUrl }: FleetPorts) => {
  const authority = createCertificateAuthority(deps);
  const agents = createAgents(deps);
  const registration = createRegistration({ ...deps, authority, trustDomain, agentUrl });
  const tasks = createTasks({ ...deps, registries, secrets, listener });
  const revocation = createAgentRevocation({ ...deps, tasks });
  const taskLog = createTaskLog(deps);
  return {
    operations: {
      list: agents.list,
      get: agents.get,
      createToken: registration.createToken,
      revoke: revocation.revoke,
    },
    /** Operations that agents call, each for itself. */
    agentOperations: {
      register: registration.register,
      renew: registration.renew,
      heartbeat: agents.heartbeat,
      lease: tasks.lease,
      report: tasks.report,
      log: taskLog.log,
    },
    agentListener: createAgentListenerRoutes({
      agents,
      registration,
      tasks,
      taskLog,
      authority,
      notifications: createTaskNotifications(deps),
      ids: deps.ids,
    }),
    watch: createWatch({ ...deps, tasks }),
  };
};
