import { failure } from '../protocol/failure.ts';
import { messages, type Task, type TaskSecrets } from '../protocol/messages.ts';
import { openSealed } from '../protocol/sealing.ts';
import type { createHostSecrets } from './host-secrets.ts';

type TaskWithSecrets = Pick<Task, 'taskId' | 'secrets'>;

const openTask = (privateKey: string, { taskId, secrets }: TaskWithSecrets): TaskSecrets => {
  if (secrets === null) return { env: {}, registries: {} };
  try {
    const value: unknown = JSON.parse(openSealed(privateKey, secrets, taskId));
    if (messages.taskSecrets.Check(value)) return value;
    throw new TypeError('not what a task seals');
  } catch (error) {
    throw failure('AGT_TASK_FAILED', 'secret-not-found', 'the secrets of the task do not open with this key', error);
  }
};

/** Creates the function that opens a task's sealed and host secrets. Raises AGT_TASK_FAILED (`secret-not-found`). */
export const secretsOpener =
  (privateKey: string, ownSecrets: ReturnType<typeof createHostSecrets>) =>
  async (task: TaskWithSecrets & Pick<Task, 'spec'>): Promise<TaskSecrets> => {
    const opened = openTask(privateKey, task);
    return { ...opened, env: { ...(await ownSecrets(task.spec.agentSecrets)), ...opened.env } };
  };
