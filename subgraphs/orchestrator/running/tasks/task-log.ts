import { logLines } from '@landfall/agent/protocol/messages';
import { Fault } from '@landfall/kernel/core/fault';
import { exampleId, isId } from '@landfall/kernel/core/ids';
import type { Deps } from '@landfall/kernel/module';
import { appendToLog, type LogLineInput, PLATFORM } from '../log/logs.ts';
import * as tasks from './tasks.store.ts';

const leftOut = (count: number): string =>
  `(${count} ${count === 1 ? 'line' : 'lines'} came too fast and ${count === 1 ? 'was' : 'were'} left out)`;

/** Creates the operation that stores log lines of agents' programs, without the locks of a step report. */
export const createTaskLog = ({ operation, clock }: Pick<Deps, 'operation' | 'clock'>) => ({
  /** Stores lines of a running task. A repeated message is accepted without effect; an old fence is refused. */
  log: operation({
    name: 'agentTask.log',
    kind: 'write',
    isBeat: true,
    scope: [],
    callers: ['agent'],
    input: logLines,
    raises: ['RES_NOT_FOUND', 'RES_VERSION_CONFLICT'],
    example: { taskId: exampleId('AgentTask'), fence: 1, seq: 1, lines: [], dropped: 0 },
    async run(caller, { taskId, fence, seq, lines, dropped }, tx): Promise<{ accepted: true }> {
      const task = isId(taskId, 'AgentTask') ? await tasks.find(tx, caller.tenant, taskId) : undefined;
      if (!task || task.agentId !== caller.subject)
        throw new Fault('RES_NOT_FOUND', `There is no task ${taskId}.`, { id: taskId });
      tasks.expectLease(task, fence);
      const received = lines.map(({ component, text, at }): LogLineInput => ({ component, text, at: new Date(at) }));
      // Dropped lines lie between the stored ones and these.
      const gap = { component: PLATFORM, text: leftOut(dropped), at: received[0]?.at ?? clock.now() };
      const added = dropped > 0 ? [gap, ...received] : received;
      if (added.length === 0) return { accepted: true };
      const { deploymentId, targetId } = task;
      await appendToLog(tx, caller, { deploymentId, targetId, taskId: task.id, fence, seq }, added);
      return { accepted: true };
    },
  }),
});

export type TaskLog = ReturnType<typeof createTaskLog>;
