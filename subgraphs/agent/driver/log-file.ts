import { open, readdir, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';

const maxBytes = 1024 * 1024;
const tailBytes = 8 * 1024;

/**
 * Limit of log files of one component, each about a megabyte: the running release, the one before, and failed starts.
 */
export const MAX_LOGS = 32;

const numberOf = (name: string, component: string): number => {
  const middle = name.startsWith(`${component}.`) && name.endsWith('.log') ? name.slice(component.length + 1, -4) : '';
  return /^\d+$/.test(middle) ? Number(middle) : 0;
};

/** Chooses the log file of a component's next start (`web.3.log`) and deletes the oldest files that are not in use. */
export const newLog = async (directory: string, component: string, inUse: readonly string[] = []): Promise<string> => {
  const numbers = (await readdir(directory)).map((name) => numberOf(name, component)).filter((number) => number > 0);
  const next = Math.max(0, ...numbers) + 1;
  const old = numbers.filter((number) => number <= next - MAX_LOGS).map((number) => `${component}.${number}.log`);
  for (const name of old) if (!inUse.includes(name)) await rm(join(directory, name), { force: true });
  return `${component}.${next}.log`;
};

/** Reads the end of a log; empty if nothing was written. */
export const tailOf = async (path: string): Promise<string> => {
  const file = await open(path, 'r').catch(() => undefined);
  if (!file) return '';
  try {
    const { size } = await file.stat();
    const length = Math.min(size, tailBytes);
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
    const text = buffer.toString('utf8');
    // A line that was cut may begin with half a secret.
    return length < size ? text.slice(text.indexOf('\n') + 1) : text;
  } finally {
    await file.close();
  }
};

/** Last whole lines of a text, each prefixed `name | `, in at most `length` characters; a long last line is cut. */
export const lastLines = (name: string, text: string, length: number): string => {
  const lines: string[] = [];
  let remaining = length;
  for (const line of text.replace(/\n$/, '').split('\n').toReversed()) {
    const prefix = `${name} | `;
    const available = remaining - prefix.length - 1;
    if (available <= 0 || (line.length > available && lines.length > 0)) break;
    const complete = `${prefix}${line.slice(-available)}\n`;
    lines.unshift(complete);
    remaining -= complete.length;
  }
  return text === '' ? '' : lines.join('');
};

/** Empties a log that is too large; its process writes in append mode, so it continues at the new end. */
export const bound = async (path: string): Promise<void> => {
  const size = (await stat(path).catch(() => undefined))?.size ?? 0;
  if (size > maxBytes) await truncate(path);
};
