import * as protocol from '@landfall/agent/protocol/messages';
import { Fault } from '@landfall/kernel/core/fault';
import type { Ids } from '@landfall/kernel/core/ids';
import { envelope } from '@landfall/kernel/routes/dialects/envelope';
import { json, protocolRoute, type Route, type RouteRequest } from '@landfall/kernel/routes/route';
import { failpoint } from '@landfall/kernel/system/failpoint';
import Type, { type TSchema } from 'typebox';
import type { TaskLog } from '../tasks/task-log.ts';
import type { TaskNotifications } from '../tasks/task-notifications.ts';
import type { Tasks } from '../tasks/tasks.ts';
import type { Agents } from './agents.ts';
import type { CertificateAuthority } from './certificate-authority.ts';
import type { createRegistration } from './registration.ts';

interface AgentListenerDeps {
  readonly agents: Agents;
  readonly registration: ReturnType<typeof createRegistration>;
  readonly tasks: Tasks;
  readonly taskLog: TaskLog;
  readonly authority: CertificateAuthority;
  readonly notifications: TaskNotifications;
  readonly ids: Ids;
}

const tokenIn = (body: unknown): string =>
  typeof body === 'object' && body !== null && 'token' in body && typeof body.token === 'string' ? body.token : '';

/** Creates the routes of the agents' listener (orchestrator 8). Its TLS must request client certificates and reject none. */
export const createAgentListenerRoutes = ({
  agents,
  registration,
  tasks,
  taskLog,
  authority,
  notifications,
  ids,
}: AgentListenerDeps) => {
  const caller = ({ certificate, requestId }: RouteRequest) => agents.identify(certificate, requestId);

  const post = (path: string, summary: string, body: TSchema, handle: Route['handle'], isHeartbeat = false): Route =>
    protocolRoute({
      method: 'POST',
      path,
      module: 'orchestrator',
      dialect: envelope,
      summary,
      schemas: { body, response: {} },
      isBeat: isHeartbeat,
      handle,
    });

  const poll = async (request: RouteRequest) => {
    const actor = await caller(request);
    const until = performance.now() + protocol.pollMs;
    using subscription = notifications.listen(actor.subject);
    // The subscription checks for waiting tasks itself, so an idle poll costs no transaction.
    while (await subscription.awaitNotification(request.signal, until - performance.now())) {
      const assignment = await tasks.lease(actor, {});
      if (assignment) {
        await failpoint('agent.task.unanswered');
        return json(200, assignment);
      }
    }
    return { status: 204 };
  };

  return {
    tls: authority.server,
    /** Ends every waiting poll, so that the listener can stop at once. */
    endPolls: notifications.close,
    routes: [
      post(
        protocol.paths.register,
        'Registers an agent by its one-time token',
        protocol.registration,
        async ({ body }) => {
          const token = tokenIn(body);
          if (token === '') throw new Fault('VAL_REQUIRED_FIELD', 'A registration carries a token.');
          return json(200, await registration.register(await registration.callerOf(token, ids.uuid()), body));
        },
      ),
      post(protocol.paths.renew, 'Renews an agent’s certificate', protocol.renewal, async (request) =>
        json(200, await registration.renew(await caller(request), request.body)),
      ),
      post(
        protocol.paths.heartbeat,
        'Says that an agent lives, and what it sees',
        protocol.heartbeat,
        async ({ certificate, requestId, body }) =>
          json(200, await agents.heartbeat(agents.claim(certificate, requestId), body)),
        true,
      ),
      post(protocol.paths.log, 'Tells what a task’s processes print', protocol.logLines, async (request) =>
        json(200, await taskLog.log(await caller(request), request.body)),
      ),
      post(protocol.paths.poll, 'Waits for a task, or to be called', Type.Object({}), poll, true),
      post(protocol.paths.report, 'Reports a step of a task', protocol.report, async (request) => {
        const report = await tasks.report(await caller(request), request.body);
        await failpoint('agent.report.unanswered');
        return json(200, report);
      }),
    ],
  };
};
