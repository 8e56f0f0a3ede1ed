import { messages, type Task, task as taskMessage } from '@landfall/agent/protocol/messages';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import type { Refusal, SealFor } from './task-secrets.ts';
import type { DueTask } from './tasks.store.ts';

const spec = Compile(Type.Pick(taskMessage, ['action', 'driver', 'components', 'traffic', 'place', 'spec', 'probe']));

const unreadable = (findings: readonly { readonly instancePath: string; readonly message: string }[]): Refusal => ({
  reason: 'unclassified',
  detail: `the task does not fit the agent protocol: ${findings.map((each) => `${each.instancePath} ${each.message}`).join('; ')}`,
});

/** Composes the message of a task under its next fence, or the reason why the agent could not accept it. */
export const composeTask = async (
  due: DueTask,
  seal: (spec: Pick<Task, 'components'>) => ReturnType<SealFor>,
): Promise<{ readonly task: Task } | { readonly refused: Refusal }> => {
  const { id, targetId, fence, deadlineAt } = due;
  if (!spec.Check(due.spec)) return { refused: unreadable(spec.Errors(due.spec)) };
  const secrets = await seal(due.spec);
  if ('refused' in secrets) return secrets;
  const { action, driver, components, traffic, place: location, probe } = due.spec;
  const task: Task = {
    taskId: id,
    fence: fence + 1,
    targetId,
    action,
    driver,
    components,
    traffic,
    place: location,
    spec: due.spec.spec,
    probe,
    secrets: secrets.sealed,
    deadline: deadlineAt.toISOString(),
  };
  return messages.task.Check(task) ? { task } : { refused: unreadable(messages.task.Errors(task)) };
};
